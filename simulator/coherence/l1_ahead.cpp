// The accesses to its L1 that a core does ahead of the others, and can take back (core/checkpoint.hpp).

#include "coherence/l1_requester.hpp"
#include "record/coherence_check.hpp"

namespace croftsim {

void L1Requester::note(const void* word) { core_.checkpoint.note(reinterpret_cast<std::uintptr_t>(word)); }

L1Line* L1Requester::ahead_in(std::uint64_t address, unsigned size, std::uint8_t permission) {
    if (check_ || address % size || core_.checkpoint.full()) return nullptr;
    L1Line* const found = l1.find(line_of(address));
    return found && !found->prefetched && post_.memory().allows(address, size, permission) ? found : nullptr;
}

void L1Requester::touch(L1Line& line) {
    if (line.prefetched) [[unlikely]]
        use_prefetched(line);
    if (L1Line& before = l1.most_recent(line.address); &before != &line) {
        writable.revoke(before.address);
        l1.touch(line);
    }
}

void L1Requester::touch_ahead(L1Line& line) {
    l1.note_touch(line, [this](const void* word) { note(word); });
    if (const L1Line& before = l1.most_recent(line.address); &before != &line) note(&writable.at(before.address).line);
    touch(line);
}

void L1Requester::note_write(L1Line& line, std::uint64_t address) {
    note(line.bytes.data() + address % line_bytes);
    note(&line.valid);
    note(&line.dirty);
    l1.note_show(line, [this](const void* word) { note(word); });
    WriteFilter::Entry& entry = writable.at(line.address);
    note(&entry.line);
    note(&entry.addend);
}

bool L1Requester::load_ahead(LoadType type, std::uint8_t rd, std::uint64_t address) {
    const unsigned size = size_of(type);
    L1Line* const line = ahead_in(address, size, Permission::read);
    if (!line || awaits_store(line->address) || (mask_of(address, size) & ~line->valid)) return false;
    touch_ahead(*line);
    core_.set_result(type, rd, get_bytes(line->bytes.data() + address % line_bytes, size));
    return true;
}

bool L1Requester::store_ahead(std::uint64_t address, unsigned size, std::uint64_t value) {
    const std::uint64_t mask = mask_of(address, size);
    L1Line* const line = ahead_in(address, size, Permission::write);
    if (!line || !stays_here(*line, mask)) return false;
    touch_ahead(*line);
    note_write(*line, address);
    store_in(*line, mask, static_cast<unsigned>(address % line_bytes), size, value);
    return true;
}

}  // namespace croftsim
