"""Mutants of L1s of all protocols, and of a tile's requests under DDC."""

from mutation import Mutant

MESSAGES = "simulator/coherence/l1_messages.cpp"
REQUESTER = "simulator/coherence/l1_requester.cpp"
OWNING = "simulator/coherence/owning_l1.cpp"
MESI = "simulator/coherence/mesi.hpp"
DENOVO = "simulator/coherence/denovo.hpp"
GPU = "simulator/coherence/gpu_l1.cpp"
GPU_WT = "simulator/coherence/gpu_wt.cpp"
GPU_WB = "simulator/coherence/gpu_wb.cpp"
GPU_WB_FETCH = "simulator/coherence/gpu_wb_fetch.cpp"
PREFETCH = "simulator/coherence/l1_prefetch.cpp"
DDC = "simulator/coherence/ddc.cpp"
DDC_STORES = "simulator/coherence/ddc_stores.cpp"
DDC_OPERATIONS = "simulator/coherence/ddc_operations.cpp"

MUTANTS: list[Mutant] = [
    Mutant(
        MESSAGES,
        "a prefetched line is kept that an acquire has outdated",
        "if (prefetch && (prefetch->outdated || takes_awaited_place(line))) {",
        "if (prefetch && takes_awaited_place(line)) {",
    ),
    Mutant(
        PREFETCH,
        "a line is prefetched that an atomic waits for",
        "awaits_store(one) || access_waits_for(one)",
        "awaits_store(one) || load_waits_for(one)",
    ),
    Mutant(
        MESSAGES,
        "a prefetched line takes the place of one that has been asked for",
        "if (prefetch && (prefetch->outdated || takes_awaited_place(line))) {",
        "if (prefetch && prefetch->outdated) {",
    ),
    Mutant(
        MESSAGES,
        "an answer overwrites the core's own stores",
        "place.put(message->mask & ~(place.owned | place.dirty), message->bytes.data());",
        "place.put(message->mask, message->bytes.data());",
    ),
    Mutant(
        MESSAGES,
        "bytes stay readable when their owner has given them up",
        "keep_only(*line, how == Recall::revoke || may_be_acquiring() ? ~part : whole_line);",
        "changed(*line);",
    ),
    Mutant(
        MESSAGES,
        "a word that its owner gives up while it waits in an acquiring access stays readable",
        "how == Recall::revoke || may_be_acquiring() ? ~part",
        "how == Recall::revoke ? ~part",
    ),
    Mutant(
        MESSAGES,
        "an owner stays one when its bytes are recalled",
        "line->owned &= ~part;\n            line->dirty &= ~part;",
        "line->dirty &= ~part;",
    ),
    Mutant(
        MESSAGES,
        "bytes stay dirty when their owner has given them up",
        "line->owned &= ~part;\n            line->dirty &= ~part;",
        "line->owned &= ~part;",
    ),
    Mutant(
        MESSAGES,
        "MOESI: an owner that shares a dirty line may write it (O is taken for M)",
        "line->owned &= ~part;\n            changed(*line);",
        "changed(*line);",
    ),
    Mutant(
        MESSAGES,
        "MOESI: an owner of a clean line says that it stays the owner",
        "if (how == Recall::share && !stays_owner) message->recall = Recall::downgrade;",
        ";",
    ),
    Mutant(
        MESSAGES,
        "an owner says of dirty bytes that they are clean",
        "message->clean = part && !(line->dirty & part);",
        "message->clean = true;",
    ),
    Mutant(
        MESSAGES,
        "a reservation outlives a recall",
        "if (how != Recall::copy && !stays_owner && !message->tracked) lose_reservation",
        "if (false) lose_reservation",
    ),
    Mutant(
        MESSAGES,
        "an invalidation is acknowledged and not done",
        "keep_only(*line, line->owned | line->dirty);",
        ";",
    ),
    Mutant(
        MESSAGES,
        "a reservation outlives an invalidation",
        "lose_reservation(core_, message->line, message->time);\n    message->kind = MessageKind::invalidate_ack;",
        "message->kind = MessageKind::invalidate_ack;",
    ),
    Mutant(
        REQUESTER,
        "an acquire keeps old copies",
        "self_invalidate(statistics_.acquire_invalidated);",
        ";",
    ),
    Mutant(
        REQUESTER,
        "a reservation outlives the place of an owned line",
        "if (place.owned) lose_reservation(core_, place.address, time);",
        ";",
    ),
    Mutant(
        REQUESTER,
        "a line that is stored to does not wait for its prefetch",
        "if (awaits_prefetch(line) || awaits_prefetch(line_of(address + size - 1))) return",
        "if (false) return",
    ),
    # ---- L1s that own
    Mutant(
        OWNING,
        "a request overtakes bytes that its core owns",
        "give_up(line, message->mask, time);\n    L1Line",
        "L1Line",
    ),
    Mutant(
        OWNING,
        "MOESI: dirty bytes do not go along with a request",
        "message->owned = found->dirty & message->mask;",
        "message->owned = 0;",
    ),
    Mutant(
        OWNING,
        "a store is taken for bytes that have not been asked for",
        "if ((mask & ~store.wanted) || (in_order_ && &store != &queue_.back())) return sleep(CoreState::waits_store);",
        "if (in_order_ && &store != &queue_.back()) return sleep(CoreState::waits_store);",
    ),
    Mutant(
        OWNING,
        "a store-conditional does not look at its reservation when the line has come",
        "writes = core_.reservation.permits_store(line.address);",
        ";",
    ),
    Mutant(OWNING, "a dirty line that leaves is lost", "write_back(line, line.owned | line.dirty, time);", ";"),
    Mutant(
        OWNING,
        "MOESI: a reservation outlives the place of a shared dirty line",
        "if (!line.owned) lose_reservation(core_, line.address, time);",
        ";",
    ),
    Mutant(OWNING, "bytes that are given up before a request are lost", "write_back(*found, part, time);", ";"),
    Mutant(
        OWNING,
        "a line that a store has waited for is not dirty",
        "line.dirty |= dirtied(store.mask);",
        ";",
    ),
    Mutant(OWNING, "a release does not wait for stores", "return stores_done();\n}", "return true;\n}"),
    Mutant(
        MESI,
        "a reader does not ask to be told of writes",
        "message->tracked = message->may_own = true;",
        "message->may_own = true;",
    ),
    Mutant(
        MESI,
        "an owner that has shown its line is no sharer",
        "tracked_when_downgraded() const override { return true; }",
        "tracked_when_downgraded() const override { return false; }",
    ),
    Mutant(
        DENOVO,
        "a load-reserved reads a copy",
        "reserve == Reserve::no ? line.valid : line.owned",
        "line.valid",
    ),
    Mutant(
        DENOVO,
        "a read overtakes bytes that its core owns",
        "give_up(line, mask, time);",
        ";",
    ),
    Mutant(
        DENOVO,
        "a writer owns parts of words",
        "unit(std::uint64_t mask) const override { return words_of(mask); }",
        "unit(std::uint64_t mask) const override { return mask; }",
    ),
    Mutant(
        DENOVO,
        "croft.drop keeps old copies",
        "readers_invalidate() const override { return true; }",
        "readers_invalidate() const override { return false; }",
    ),
    # ---- L1s that own nothing
    Mutant(
        GPU,
        "a load-reserved does not ask to be told of writes",
        "message->tracked = reserve != Reserve::no;",
        "message->tracked = false;",
    ),
    Mutant(
        GPU,
        "a load-reserved does not send the core's own stores ahead",
        "found && reserve != Reserve::no) flush_line(*found, time);",
        "found && reserve != Reserve::no) ;",
    ),
    Mutant(GPU, "a flushed line stays dirty", "line.dirty = 0;", ";"),
    Mutant(
        GPU,
        "a copy stays as it was before the core's own atomic",
        "keep_only(*found, ~mask_of(address, size));",
        ";",
    ),
    Mutant(
        GPU,
        "an atomic overtakes the core's own stores",
        "flush_line(*found, time);\n        keep_only",
        "keep_only",
    ),
    Mutant(
        GPU_WT, "a copy does not take its core's store", "put_bytes(found->bytes.data() + offset, value, size);", ";"
    ),
    Mutant(
        "simulator/coherence/gpu_wt.hpp",
        "a release does not wait for stores",
        "{ return unacknowledged_ == 0; }",
        "{ return true; }",
    ),
    Mutant(GPU_WB, "a release does not wait for stores", "return unacknowledged_ == 0;", "return true;"),
    Mutant(GPU_WB, "a release keeps dirty lines", "flush_line(line, time++);", "time++;"),
    Mutant(GPU_WB_FETCH, "a store that has waited for its line is not dirty", "line.dirty |= mask_of", "mask_of"),
    Mutant(
        GPU_WB_FETCH,
        "a store that has waited for its line is lost",
        "put_bytes(line.bytes.data() + offset, pending_.operand, pending_.done);",
        "(void)offset;",
    ),
    # ---- prefetches
    Mutant(PREFETCH, "an acquire forgets prefetches", "one.outdated = true;", "one.outdated = false;"),
    Mutant(PREFETCH, "a line is prefetched that a store has asked for", "|| awaits_store(one) ", ""),
    Mutant(PREFETCH, "a line is prefetched twice", "|| prefetch_of(one) ", ""),
    # ---- tiles
    Mutant(DDC, "an invalidation is acknowledged and not done", "caches_.drop(*own);", ";"),
    Mutant(
        DDC,
        "a reservation outlives an invalidation",
        "lose_reservation(core_, message->line, time);",
        ";",
    ),
    Mutant(
        DDC,
        "a read overtakes the core's own stores",
        "if (buffer_.stores && buffer_.line == line) send_stores(time);",
        ";",
    ),
    Mutant(
        DDC_OPERATIONS,
        "a fence keeps stores in the buffer",
        "if (buffer_.stores) send_stores(time);\n    ++fences_;",
        "++fences_;",
    ),
    Mutant(
        DDC_OPERATIONS,
        "a fence does not wait for stores",
        "if (unacknowledged_ > 0 || caches_.write_backs > 0) {\n        wait_for",
        "if (false) {\n        wait_for",
    ),
    Mutant(
        DDC_OPERATIONS,
        "a copy stays as it was before the core's own atomic",
        "if (Line* own = caches_.l2.find(message->line); own && !own->homed) caches_.drop(*own);",
        ";",
    ),
    Mutant(
        DDC_OPERATIONS,
        "a line that is on its way stays as it was before the core's own atomic",
        "outdate_allocation(message->line);",
        ";",
    ),
    Mutant(
        DDC_STORES,
        "a line that comes outdated is kept",
        "!mine->outdated && ",
        "",
    ),
    Mutant(
        DDC_STORES,
        "a home writes and does not tell the sharers",
        "if (own && !own->busy && caches_.l2.sharers(*own).empty()) {",
        "if (own && !own->busy) {",
    ),
    Mutant(
        DDC_STORES,
        "a copy does not take its core's store",
        "if (buffer_.own && buffer_.own->address == buffer_.line) put_bytes",
        "if (false) put_bytes",
    ),
    Mutant(
        DDC_STORES,
        "a line that comes hides stores in the buffer",
        " && !(buffer_.stores && buffer_.line == line);",
        ";",
    ),
]
