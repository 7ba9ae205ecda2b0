"""Mutants of caches that are homes: levels of any depth, and the L2s of tiles."""

from mutation import Mutant

LEVEL = "simulator/coherence/cache_level.cpp"
ENGINE = "simulator/coherence/home_engine.cpp"
HOME = "simulator/coherence/home.cpp"
OWNERS = "simulator/coherence/word_owners.hpp"
ANSWER = "simulator/coherence/owners_answer.hpp"

MUTANTS: list[Mutant] = [
    Mutant(
        LEVEL,
        "a home does not wait until the requester has an owner's answer",
        "open(line.address, Phase::recalling, owners + itself, message);",
        "open(line.address, Phase::recalling, owners, message);",
    ),
    Mutant(
        LEVEL,
        "a requester does not tell its home of an owner's answer",
        "if (message->by_owner) send_up(",
        "if (false) send_up(",
    ),
    Mutant(
        LEVEL,
        "a home waits for the requester though its owner had nothing to answer with",
        "--awaiting(*message).answers_left;",
        ";",
    ),
    Mutant(
        LEVEL,
        "a home learns of a new owner from the old one's answer alone",
        "if (message->by_owner && !std::exchange",
        "if (message->by_owner && message->kind == MessageKind::recall_answer && !std::exchange",
    ),
    Mutant(
        LEVEL,
        "a level that gets a dirty line of its owner takes it for a clean one",
        "line->dirty |= arrival.dirty;",
        ";",
    ),
    Mutant(
        ANSWER,
        "a line that an owner has written goes to its reader alone",
        "recall.no_payload = recall.clean || recall.recall != Recall::downgrade;",
        "recall.no_payload = true;",
    ),
    Mutant(ANSWER, "a new owner takes a dirty line for a clean one", "data->dirty = moves && !recall.clean;", ";"),
    Mutant(
        LEVEL,
        "bytes that go along with a request are not taken",
        "owners_.take(*line, merge(*line, *message, message->owned));",
        "owners_.take(*line, message->owned & owners_.owned_by(*line, message->requester));",
    ),
    Mutant(
        LEVEL,
        "an owner that gives its bytes up with a request is no sharer",
        "sharers(*line).add(message->requester);",
        ";",
    ),
    Mutant(
        LEVEL,
        "a copy is written without the right to",
        "line && (line->exclusive || !needs_exclusive(*message)) && has",
        "line && has",
    ),
    Mutant(
        LEVEL,
        "a copy from the parent is taken for the line itself",
        "line->exclusive = arrival.exclusive;",
        "line->exclusive = true;",
    ),
    Mutant(
        LEVEL,
        "bytes that no owner has shown are good",
        "if (reads && line.shown && line.here)",
        "if (reads && line.here)",
    ),
    Mutant(
        LEVEL,
        "a store-conditional stores though its core is not listed",
        "const bool listed = conditional && sharers(line).contains(message->requester);",
        "const bool listed = conditional;",
    ),
    Mutant(
        LEVEL,
        "a reader takes bytes of other owners for good",
        "message->mask |= ~line.owned;",
        "message->mask = whole_line;",
    ),
    Mutant(
        LEVEL,
        "a reader gets the line as its own while others have copies",
        "line.owned == 0 && sharers(line).empty_but_for(reader)",
        "line.owned == 0",
    ),
    Mutant(
        LEVEL,
        "what an owner has shown stays good when another child becomes the owner",
        "owners_.give(line, bytes, child);\n    line.shown = line.pushed = false;",
        "owners_.give(line, bytes, child);\n    line.pushed = false;",
    ),
    Mutant(
        LEVEL,
        "a tracked reader is not listed",
        "sharers(line).add(request.requester);",
        ";",
    ),
    Mutant(
        LEVEL,
        "a writer does not wait for acknowledgements",
        "if (told > 0) {",
        "if (told > 64) {",
    ),
    Mutant(LEVEL, "an owner keeps half a word", "bytes = words_of(bytes);", ";"),
    Mutant(
        LEVEL,
        "an owner that cannot share a dirty line is told to",
        "how == Recall::share && !traits_[owner].shares_dirty ? Recall::downgrade : how",
        "how",
    ),
    Mutant(
        LEVEL,
        "bytes count that their sender owns no more",
        "const std::uint64_t part = bytes & owners_.owned_by(line, message.requester);",
        "const std::uint64_t part = bytes;",
    ),
    Mutant(
        LEVEL,
        "a line with given-up bytes is not dirty",
        "!((is_filter_ || asks_level_) && message.clean)) line.dirty = true;",
        "!((is_filter_ || asks_level_) && message.clean)) ;",
    ),
    Mutant(
        LEVEL,
        "who gives bytes up stays their owner",
        "merge(*line, *message, message->mask));\n        if (message->forward_to",
        "0 * merge(*line, *message, message->mask));\n        if (message->forward_to",
    ),
    Mutant(
        LEVEL,
        "what an owner shows to one reader is good for all",
        "line.shown = message->recall == Recall::share && shown == whole_line && !message->no_payload;",
        "line.shown = shown == whole_line && !message->no_payload;",
    ),
    Mutant(
        LEVEL,
        "what an owner shows to its reader alone is taken for here",
        "shown == whole_line && !message->no_payload;",
        "shown == whole_line;",
    ),
    Mutant(
        LEVEL,
        "an owner that has become a sharer is not listed",
        "if (message->tracked) sharers(line).add(message->requester);",
        ";",
    ),
    Mutant(
        LEVEL,
        "a demand overtakes a line that has come and has no place yet",
        "(transaction->phase != Phase::filling || transaction->came)",
        "transaction->phase != Phase::filling",
    ),
    Mutant(
        LEVEL,
        "a child stays the owner of what this level shows its parent",
        "if (how == Recall::share) how = Recall::downgrade;",
        ";",
    ),
    Mutant(
        LEVEL,
        "a demand does not reach the sharers",
        "if (how == Recall::revoke) asked += invalidate_sharers(*line, nobody, time + times_.service);",
        ";",
    ),
    Mutant(
        LEVEL,
        "a demand does not reach the owners",
        "std::uint32_t asked = recall_owners(*line, whole_line, nobody, how, time + times_.service);",
        "std::uint32_t asked = 0;",
    ),
    Mutant(
        LEVEL,
        "a level keeps a right that is taken away",
        "if (line && how != Recall::copy) line->exclusive = false;",
        ";",
    ),
    Mutant(
        LEVEL,
        "a level stays dirty when it has given its bytes",
        "if (line && how != Recall::copy && how != Recall::share) line->dirty = false;",
        ";",
    ),
    Mutant(
        LEVEL,
        "a level answers an invalidation and keeps the line",
        "++counts_.invalidated;\n        forget(*line);",
        "++counts_.invalidated;",
    ),
    Mutant(
        LEVEL,
        "a level that has become a sharer does not say so",
        "demand->tracked = line && how == Recall::downgrade;",
        "demand->tracked = false;",
    ),
    Mutant(
        LEVEL,
        "sharers keep a line that leaves",
        "answers += invalidate_sharers(*victim, nobody, time + times_.service);",
        ";",
    ),
    Mutant(
        LEVEL,
        "a dirty line that leaves a level is lost",
        "send_up(message, time);\n    } else if",
        "post_.pool().release(message);\n    } else if",
    ),
    Mutant(LEVEL, "a filter loses dirty bytes", "if (line.dirty) write_to_memory(line, time);", ";"),
    Mutant(
        LEVEL,
        "a filter asks the requester itself for the bytes",
        "(line.owned == whole_line && is_another)",
        "(line.owned == whole_line)",
    ),
    # ---- the engine
    Mutant(
        ENGINE,
        "a request does not wait for the one before it",
        "if (Transaction* transaction = find(message->line)) {",
        "if (Transaction* transaction = nullptr) {",
    ),
    Mutant(
        ENGINE,
        "the last answer is not waited for",
        "if (--transaction.answers_left > 0) return",
        "if (transaction.answers_left-- > 2) return",
    ),
    Mutant(
        ENGINE,
        "a store writes bytes beside its own",
        "put_masked(line.bytes.data(), request.bytes.data(), request.mask);",
        "put_masked(line.bytes.data(), request.bytes.data(), whole_line);",
    ),
    Mutant(
        ENGINE,
        "a store-conditional that fails stores",
        "if (permitted) put_bytes(at, request.operand, request.size);",
        "put_bytes(at, request.operand, request.size);",
    ),
    Mutant(ENGINE, "a written line is not dirty", "line.dirty = true;\n    return true;", "return true;"),
    Mutant(
        ENGINE,
        "a write-back does not reach memory",
        "post_.memory().write_dram(line.address, line.bytes.data(), line_bytes);",
        ";",
    ),
    Mutant(
        ENGINE,
        "an answer goes to a transaction that awaits none",
        "one.line == answer.line && one.answers_left > 0",
        "one.line == answer.line",
    ),
    # ---- the home of a tile
    Mutant(
        HOME,
        "a reader is not listed",
        "sharers(line).add(message->requester);\n        caches_",
        "caches_",
    ),
    Mutant(
        HOME,
        "a store-conditional stores though its core is not listed",
        "const bool permitted = sharers(line).contains(message.requester);",
        "const bool permitted = true;",
    ),
    Mutant(
        HOME,
        "a write does not tell the sharers",
        "message->engine ? others.empty() : others.empty_but_for(message->requester);",
        "true;",
    ),
    Mutant(
        HOME,
        "a dirty line that leaves is lost",
        "if (victim->dirty) write_back(*victim, time + times_.service, own);",
        ";",
    ),
    Mutant(
        HOME,
        "sharers keep a line that leaves",
        "if (const std::uint32_t count = sharers(*victim).size()) {",
        "if (const std::uint32_t count = 0) {",
    ),
    Mutant(
        HOME,
        "the home's own reservation outlives another's write",
        "lose_reservation(core_, line.address, start);",
        ";",
    ),
    Mutant(
        HOME,
        "a store that gets the line is not listed",
        "sharers(line).add(message->requester);\n    caches_",
        "caches_",
    ),
    Mutant(
        HOME,
        "the home's L1 keeps a line that another has written",
        "if (!message->into_l1) caches_.l1.drop(line.address, line_bytes);",
        ";",
        "the L1 has no bytes of its own, and reads the L2's: cycles alone change",
    ),
    # ---- who owns which words
    Mutant(
        OWNERS,
        "words of another owner go to the latest",
        "(line.owned & ~bytes) != 0 && (line.row || line.owner != owner);",
        "false;",
    ),
    Mutant(OWNERS, "a row stays behind its words", "if (line.row) do_without_row(line);", ";"),
    Mutant(OWNERS, "a new row forgets who owned the line", "rows_[row - 1].fill(owner);", ";"),
    Mutant(
        OWNERS,
        "a row is given back while words have several owners",
        "is_only &= owner_of(line, word) == first;",
        "is_only |= owner_of(line, word) == first;",
    ),
]
