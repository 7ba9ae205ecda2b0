#pragma once
// Three messages instead of four, where the machine file says answers = "owner". They are for a request for a line that
// one child owns as a whole. It goes to the home, from there to the owner, and from there to the requester.
//
//     requester -- read, own --> home -- recall (answer_to) --> owner -- data (by_owner) --> requester
//                                home <-- recall_answer (by_owner) -- owner
//                                home <-- invalidate_ack (by_owner) ------------------------ requester
//
// The line comes to the requester another way than the home's later messages, which might overtake it. So the home
// keeps the line busy until the requester has told it that the line has come, and until the owner has answered. Then
// whatever the home sends the requester is behind the line. The home waits for an owner and a requester, and neither
// waits for anybody, so this ends as any recall does.
//
// A reader that could never own the line gets it from the home. It may have two requests for a line under way. Then an
// older answer of the home's might come behind a newer one of the owner's.
//
// The first of the two tells the home that the requester is an owner or a sharer now. The requester may give the line
// back right behind its word, which is on the same way; the owner's answer may come later than both.
//
// If the line is to be written, the home does not get its bytes. They are the requester's, which is told whether
// memory and homes have them (`dirty`). If it is read, the home gets them where nobody stays their owner. An owner that
// has given the line up meanwhile answers the home alone, with nothing, and the home answers the requester.

#include "contract/message.hpp"

namespace croftsim {

// By an owner, which has put its bytes and what it makes of them into the recall: what the requester gets. Afterwards
// the recall, which is to become the answer to the home, says so.
inline Message* owners_answer(Message& recall, MessagePool& pool) {
    const bool moves = recall.recall == Recall::revoke;
    const auto requester = static_cast<std::uint16_t>(recall.answer_to - 1);
    Message* const data = pool.make(MessageKind::data, requester, recall.line);
    data->requester = requester;
    data->mask = whole_line;
    data->owned = moves ? whole_line : 0;
    data->exclusive = moves;
    data->dirty = moves && !recall.clean;
    data->bytes = recall.bytes;
    data->by_owner = recall.by_owner = true;
    recall.no_payload = recall.clean || recall.recall != Recall::downgrade;
    return data;
}

// By the requester, for the home.
inline Message* owner_has_answered(std::uint64_t line, MessagePool& pool) {
    Message* const told = pool.make(MessageKind::invalidate_ack, 0, line);
    told->by_owner = true;
    return told;
}

}  // namespace croftsim
