#pragma once
// The causes of a change of a line's state, and their names in docs/protocols.md.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>

#include "contract/message.hpp"

namespace croftsim {

enum class TransitionEvent : std::uint8_t {
    // what a core does
    load,
    store,
    atomic,
    lr,
    sc,
    acquire,
    release,
    flush,
    // another line takes the place
    replacement,
    // messages; the page tells those that are sent in this order
    read,
    read_tracked,
    read_or_line,
    own,
    write_through,
    write_through_allocating,
    leave,
    atomic_request,
    store_conditional,
    write_back,
    data,
    data_exclusive,
    write_ack,
    write_data,
    atomic_result,
    invalidate,
    invalidate_ack,
    recall_copy,
    recall_share,
    recall_downgrade,
    recall_revoke,
    recall_answer,
    recall_answer_empty,
    memory_read,
    memory_write,
    memory_data,
    memory_ack,
    // to oneself
    later,
    again,
    // what only a core of a tile does, and what its store buffer does by itself
    store_past,
    forward,
    drop,
    allocate,
    merged,
    count
};

constexpr const char* name_of(TransitionEvent event) {
    constexpr const char* names[] = {"load",
                                     "store",
                                     "atomic",
                                     "lr",
                                     "sc",
                                     "acquire",
                                     "release",
                                     "flush",
                                     "replacement",
                                     "read",
                                     "read, tracked",
                                     "read, tracked, or the line",
                                     "own",
                                     "write_through",
                                     "write_through, allocating",
                                     "leave",
                                     "atomic",
                                     "store_conditional",
                                     "write_back",
                                     "data",
                                     "data, exclusive",
                                     "write_ack",
                                     "write_data",
                                     "atomic_result",
                                     "invalidate",
                                     "invalidate_ack",
                                     "recall: copy",
                                     "recall: share",
                                     "recall: downgrade",
                                     "recall: revoke",
                                     "recall_answer",
                                     "recall_answer, empty",
                                     "memory_read",
                                     "memory_write",
                                     "memory_data",
                                     "memory_ack",
                                     "later",
                                     "again",
                                     "store, not allocating",
                                     "forward",
                                     "drop",
                                     "allocate",
                                     "buffered long enough"};
    static_assert(std::size(names) == static_cast<std::size_t>(TransitionEvent::count));
    return names[static_cast<std::size_t>(event)];
}

inline TransitionEvent event_of(const Message& message) {
    using enum TransitionEvent;
    switch (message.kind) {
        case MessageKind::read:
            return message.may_own ? read_or_line : message.tracked ? read_tracked : read;
        case MessageKind::own:
            return own;
        case MessageKind::write_through:
            return message.allocates ? write_through_allocating : write_through;
        case MessageKind::leave:
            return leave;
        case MessageKind::atomic:
            return atomic_request;
        case MessageKind::store_conditional:
            return store_conditional;
        case MessageKind::write_back:
            return write_back;
        case MessageKind::data:
            return message.exclusive ? data_exclusive : data;
        case MessageKind::write_ack:
            return write_ack;
        case MessageKind::write_data:
            return write_data;
        case MessageKind::atomic_result:
            return atomic_result;
        case MessageKind::invalidate:
            return invalidate;
        case MessageKind::invalidate_ack:
            return invalidate_ack;
        case MessageKind::recall:
            return message.recall == Recall::copy        ? recall_copy
                   : message.recall == Recall::share     ? recall_share
                   : message.recall == Recall::downgrade ? recall_downgrade
                                                         : recall_revoke;
        case MessageKind::recall_answer:
            return message.mask ? recall_answer : recall_answer_empty;
        case MessageKind::memory_read:
            return memory_read;
        case MessageKind::memory_write:
            return memory_write;
        case MessageKind::memory_data:
        case MessageKind::alarm:  // what came before is tried again
            return memory_data;
        case MessageKind::memory_ack:
            return memory_ack;
        default:
            throw std::logic_error(std::string("not a message of these protocols: ") + name_of(message.kind));
    }
}

}  // namespace croftsim
