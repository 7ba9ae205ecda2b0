#pragma once
// The request language between the parts of every machine (after Spandex, ISCA 2018). Requesters ask homes. Homes
// answer, ask memory controllers, and tell sharers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "base/digest.hpp"
#include "isa/atomic_operation.hpp"
#include "isa/instruction.hpp"

namespace croftsim {

enum class MessageKind : std::uint8_t {
    // requester -> home
    read,               // a copy of the line
    write_through,      // the bytes of `mask`
    atomic,             // `operation` on `size` bytes at `offset`
    store_conditional,  // the same, if the requester's copy is still good
    leave,              // the requester has dropped its copy; no answer
    own,                // the bytes of `mask` shall be the requester's alone
    write_back,         // bytes of `mask` that the requester owned and gives up; no answer
    // home -> requester
    data,        // the line; the requester is a sharer from now on
    write_ack,   // the write is visible everywhere
    write_data,  // that, and the line: the requester is a sharer from now on
    atomic_result,
    // home -> sharer and back
    invalidate,
    invalidate_ack,
    // home -> owner and back
    recall,         // the bytes of `mask`, as `recall` says
    recall_answer,  // those of them that the owner had
    // home -> memory controller and back
    memory_read,
    memory_write,
    memory_data,
    memory_ack,  // the write that somebody waits for
    // to oneself: it is time to try again what could not be done before
    alarm,
    // tile -> tile, on the user network, and back
    user_message,  // `words`, for the queue of `tag`
    user_credit,   // `room` words have found room
    // core -> core, user-level interrupts, and back: `word`
    uli_request,
    uli_response,
    count,
};

// Whether it goes to another node; one that does not is no traffic.
constexpr bool travels(MessageKind kind) { return kind != MessageKind::alarm; }
// Whether it is about a line, and not between programs.
constexpr bool is_of_memory(MessageKind kind) { return kind < MessageKind::user_message; }

constexpr const char* name_of(MessageKind kind) {
    constexpr const char* names[] = {
        "read",           "write_through", "atomic",        "store_conditional", "leave",         "own",
        "write_back",     "data",          "write_ack",     "write_data",        "atomic_result", "invalidate",
        "invalidate_ack", "recall",        "recall_answer", "memory_read",       "memory_write",  "memory_data",
        "memory_ack",     "alarm",         "user_message",  "user_credit",       "uli_request",   "uli_response"};
    static_assert(std::size(names) == static_cast<std::size_t>(MessageKind::count));
    return names[static_cast<std::size_t>(kind)];
}

// A home's demand to the owner of bytes (after Spandex, section III.C).
enum class Recall : std::uint8_t {
    copy,       // their values; it stays the owner
    share,      // their values, and others have copies from now on. It stays the owner if they are dirty
    downgrade,  // and it is no longer the owner, but may keep a copy
    revoke,     // and it keeps no copy
};

// Two lines of the host's: all that is told of a message, and the bytes of its line. Most messages have no bytes, and
// then nobody touches the second one.
struct alignas(64) Message {
    static constexpr bool is_plain = true;
    std::uint64_t time = 0;                     // when it enters the network; once routed, when it arrives
    std::uint64_t sequence : 48 = 0;            // counts the messages of its source
    std::uint16_t source = 0, destination = 0;  // nodes: tiles, then memory controllers, then caches
    std::uint16_t requester = 0;                // whom the home answers
    MessageKind kind = MessageKind::read;
    AtomicOperation operation = AtomicOperation::swap;
    std::uint8_t offset = 0, size = 0;
    bool is_unsigned : 1 = false;    // of an atomic minimum or maximum
    bool from_memory : 1 = false;    // data: the home had to ask memory
    bool only_page : 1 = false;      // data: of the program, the page's translation has come, and the line has not
    bool allocates : 1 = false;      // write_through: the requester wants the line too
    bool fills_line : 1 = false;     // write_through: all of the line will be overwritten, so memory need not be read
    bool leaves : 1 = false;         // write_through: the requester keeps no copy (home-forward)
    bool into_l1 : 1 = false;        // write_through, write_back, leave, data: bring the line into the L1 too that it
                                     // is forwarded to
    bool update_memory : 1 = false;  // write_through, leave: write the line to memory now
    bool engine : 1 = false;         // for a tile's DMA engine, which keeps no copy
    bool tracked : 1 = false;        // read: the requester is to hear of the next write, and so is a sharer;
                                     // recall_answer: the owner has become one
    bool may_own : 1 = false;        // read: if nobody else has a copy, the requester takes the line as its own
    bool exclusive : 1 = false;      // data: the bytes of `owned` are the requester's alone
    bool no_payload : 1 = false;     // data: the requester has the bytes already; recall_answer: nobody needs them
    bool clean : 1 = false;          // recall_answer: the owner has not written the bytes
    bool dirty : 1 = false;          // data: memory and homes do not have the bytes
    bool pinned : 1 = false;         // own: until it is answered, the requester keeps the copy that it has
    bool of_program : 1 = false;     // read, data: for the L1 instruction cache
    bool awaited : 1 = false;   // memory_write: a fence waits for its acknowledgement; recall: it has waited itself
    bool pushed : 1 = false;    // data: nobody has asked for it, so who has no use for it drops it (home-forward)
    bool by_owner : 1 = false;  // data: of an owner, and the home is to be told; recall_answer: the owner has answered
                                // the requester; invalidate_ack: that is what the requester tells
    Recall recall = Recall::copy;
    std::uint32_t epoch = 0;  // of the requester or sender, for coherence_check.hpp
    std::uint64_t line = 0;
    union {
        std::uint64_t mask = 0;  // one bit per byte of the line
        std::uint64_t packet;    // user_message: where its words are (MessagePool)
    };
    union {
        std::uint64_t owned = 0;  // like the mask; own: dirty ones that the requester gives up with the request
        std::uint64_t expected;   // atomic: of a compare-and-swap
        std::uint64_t number;     // between cores: counts what its sender has sent, if that is recorded (Flow)
    };
    union {                         // one number, by its use; whoever takes the message as a whole calls it operand
        std::uint64_t operand = 0;  // of an atomic; its result in the answer
        std::uint64_t copy_to;      // for a DMA engine: the address to which it copies
        std::uint64_t answer_to;    // recall: whom the owner is to answer itself, and one; 0: nobody
        std::uint64_t forward_to;   // write_through, write_back, pushed data: the tile that is to have the line, and
                                    // one; 0: none (home-forward)
        std::uint64_t tag;          // user_message
        std::uint64_t room;         // user_credit: words
        std::uint64_t word;         // uli_request, uli_response
    };
    std::array<std::uint8_t, 64> bytes;

    static constexpr std::uint64_t most_nodes = std::uint64_t{1} << 16;
};
static_assert(sizeof(Message) == 128 && offsetof(Message, bytes) == 64);

// The operands of an atomic lie in the message: the high halves, which only a pair has, in the line's second host line.
inline void put_operands(Message& message, const AtomicOperands& operands) {
    message.operand = operands.value.low;
    message.expected = operands.expected.low;
    if (message.size <= 8) return;
    const std::uint64_t high[] = {operands.value.high, operands.expected.high};
    std::memcpy(message.bytes.data() + message.offset, high, sizeof high);
}
inline AtomicOperands operands_of(const Message& message) {
    std::uint64_t high[2] = {};
    if (message.size > 8) std::memcpy(high, message.bytes.data() + message.offset, sizeof high);
    return {{message.operand, high[0]}, {message.expected, high[1]}};
}
// Its result, in the answer.
inline void put_found(Message& message, RegisterPair found) {
    message.operand = found.low;
    if (message.size > 8) std::memcpy(message.bytes.data() + message.offset, &found.high, sizeof found.high);
}
inline RegisterPair found_in(const Message& message) {
    RegisterPair found{message.operand, 0};
    if (message.size > 8) std::memcpy(&found.high, message.bytes.data() + message.offset, sizeof found.high);
    return found;
}

// The digest has all of it but its time and its numbers.
inline void digest(Digest& to, const Message& message) {
    for (const std::uint64_t value : {std::uint64_t{message.source},
                                      std::uint64_t{message.destination},
                                      std::uint64_t{message.requester},
                                      static_cast<std::uint64_t>(message.kind),
                                      static_cast<std::uint64_t>(message.operation),
                                      std::uint64_t{message.offset},
                                      std::uint64_t{message.size},
                                      std::uint64_t{message.tracked},
                                      std::uint64_t{message.may_own},
                                      std::uint64_t{message.exclusive},
                                      std::uint64_t{message.pinned},
                                      std::uint64_t{message.clean},
                                      std::uint64_t{message.dirty},
                                      std::uint64_t{message.by_owner},
                                      std::uint64_t{message.pushed},
                                      static_cast<std::uint64_t>(message.recall),
                                      message.line,
                                      message.mask,
                                      message.owned,
                                      message.operand})
        to.add(value);
    for (std::size_t i = 0; i < message.bytes.size(); ++i) to.add(message.mask >> i & 1 ? message.bytes[i] : 0);
}

class MessagePool {
public:
    Message* make(MessageKind kind, std::uint32_t destination, std::uint64_t line) {
        if (free_.empty()) grow();
        Message* const message = take();
        std::memset(static_cast<void*>(message), 0, offsetof(Message, bytes));
        message->destination = static_cast<std::uint16_t>(destination);
        message->kind = kind;
        message->line = line;
        return message;
    }
    void release(Message* message) { free_.push_back(message); }

    // The words of a user_message, which no other kind has.
    void put_words(Message& message, std::vector<std::uint64_t> words) {
        if (free_packets_.empty()) {
            free_packets_.push_back(packets_.size());
            packets_.emplace_back();
        }
        message.packet = free_packets_.back();
        free_packets_.pop_back();
        packets_[message.packet] = std::move(words);
    }
    const std::vector<std::uint64_t>& words(const Message& message) const { return packets_[message.packet]; }
    std::vector<std::uint64_t> take_words(Message& message) {
        free_packets_.push_back(message.packet);
        return std::exchange(packets_[std::exchange(message.packet, 0)], {});
    }

    // All there are; those that are free with what is left in them, of which a line of undefined contents may tell.
    // When it is read, those that are not free lie on top, for whoever has one to take.
    void serialise(Archive& archive) {
        std::uint64_t taken = all_ - free_.size();
        archive(taken);
        const std::size_t free = archive.count(free_.size());
        if (archive.loads()) {
            if (taken > most) Archive::damaged();
            chunks_.clear();
            free_.clear();
            all_ = 0;
            grow(free + taken);
        }
        for (std::size_t i = 0; i < free; ++i) archive(*free_[i]);
        archive(packets_, free_packets_);
        for (const std::uint64_t packet : free_packets_)
            if (packet >= packets_.size()) Archive::damaged();
    }
    // A message that somebody has.
    Message* read(Archive& archive) {
        Message* const message = take();
        archive(*message);
        if (message->kind == MessageKind::user_message && message->packet >= packets_.size()) Archive::damaged();
        return message;
    }

private:
    Message* take() {
        if (free_.empty()) Archive::damaged();
        Message* message = free_.back();
        free_.pop_back();
        return message;
    }

    static constexpr std::uint64_t most = 1 << 24;
    void grow(std::size_t at_once = 256) {
        chunks_.push_back(std::make_unique<Message[]>(at_once));
        for (std::size_t i = at_once; i-- > 0;) free_.push_back(&chunks_.back()[i]);
        all_ += at_once;
    }
    std::vector<Message*> free_;
    std::vector<std::unique_ptr<Message[]>> chunks_;
    std::size_t all_ = 0;
    std::vector<std::vector<std::uint64_t>> packets_;
    std::vector<std::uint64_t> free_packets_;
};
static_assert(is_listed<MessagePool, 104>);

// A message that somebody has, or none.
inline void serialise(Archive& archive, Message*& message) {
    bool is_there = message != nullptr;
    archive(is_there);
    if (archive.loads())
        message = is_there ? archive.pool->read(archive) : nullptr;
    else if (is_there)
        archive(*message);
}

}  // namespace croftsim
