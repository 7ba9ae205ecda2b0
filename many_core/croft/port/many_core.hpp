#pragma once
// The features of croft's many-cores beyond RISC-V, as functions: docs/instructions.md says what each instruction does.
// Only there (CROFT_MANY_CORE is defined). Code above port/ that uses it stands behind that macro. If no_many_core.hpp
// has the name as well, it stands behind `if constexpr (port::is_many_core)`.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include <unistd.h>

#define CROFT_MANY_CORE 1

namespace croft::port {

inline constexpr bool is_many_core = true;

// The machine's features, and this thread's place on it.
enum class feature : std::uint64_t {
    user_network = 1,
    home_forwarding = 2,
    dma = 4,
    core_interrupts = 8,     // one core can interrupt another: request_interrupt and what follows it
    software_coherence = 16  // some core's L1 is kept coherent by cache_invalidate and cache_flush alone
};
inline bool has(feature which) {
    std::uint64_t features;
    asm("csrr %0, 0xcc0" : "=r"(features));
    return (features & static_cast<std::uint64_t>(which)) != 0;
}
inline unsigned mesh_columns() {
    std::uint64_t columns;
    asm("csrr %0, 0xcc1" : "=r"(columns));
    return static_cast<unsigned>(columns);
}
inline unsigned tile_count() {
    std::uint64_t tiles;
    asm("csrr %0, 0xcc2" : "=r"(tiles));
    return static_cast<unsigned>(tiles);
}
inline unsigned this_core() {
    std::uint64_t core;
    asm volatile("csrr %0, 0xcc3" : "=r"(core));
    return static_cast<unsigned>(core);
}

// Loads before this are done before stores behind it; stores before it need not be.
inline void finish_loads() { asm volatile("fence r, w" ::: "memory"); }

// Cycles of 64 independent instructions here.
[[gnu::noinline]] inline std::uint64_t cycles_of_64() {
    std::uint64_t begin, end;
    asm volatile("rdcycle %0\n\t.rept 16\n\tli t0, 1\n\tli t1, 1\n\tli t2, 1\n\tli t3, 1\n\t.endr\n\trdcycle %1"
                 : "=&r"(begin), "=r"(end)::"t0", "t1", "t2", "t3");
    return end - begin;
}
// Whether this core can execute several instructions a cycle. Measured, because no register tells; the first time they
// have to be fetched.
inline bool is_wide_core() {
    cycles_of_64();
    return cycles_of_64() < 48;
}

// How many instructions this core has executed so far.
inline std::uint64_t instructions() {
    std::uint64_t count;
    asm volatile("rdinstret %0" : "=r"(count)::"memory");
    return count;
}
// The same into memory, by so many instructions, whatever the compiler does.
inline constexpr std::uint64_t instructions_of_store = 2;
inline void store_instructions(std::uint64_t& to) {
    std::uint64_t count;
    asm volatile("rdinstret %0\n\tsd %0, %1" : "=&r"(count), "=m"(to)::"memory");
}

// A relaxed load that races with other cores' writes, and whose program comes to the same end with an old value,
// however old. `croft run --check coherence`, which otherwise reports it, finds its address in a section of the
// program.
template <class Word>
    requires(std::is_trivially_copyable_v<Word> && (sizeof(Word) == 4 || sizeof(Word) == 8))
inline Word load_racing(const Word& word) {
    std::uint64_t bits;
    if constexpr (sizeof(Word) == 4)
        asm volatile("1:\tlw %0, %1\n\t.pushsection .croft.racing\n\t.dword 1b\n\t.popsection"
                     : "=r"(bits)
                     : "m"(word));
    else
        asm volatile("1:\tld %0, %1\n\t.pushsection .croft.racing\n\t.dword 1b\n\t.popsection"
                     : "=r"(bits)
                     : "m"(word));
    Word value;
    std::memcpy(&value, &bits, sizeof value);  // the machine is little-endian
    return value;
}

// Lines. Each names the line that holds the address.

inline void drop_line(const void* at) { asm volatile("cbo.inval (%0)" ::"r"(at) : "memory"); }
inline void clean_line(const void* at) { asm volatile("cbo.clean (%0)" ::"r"(at) : "memory"); }
inline void flush_line(const void* at) { asm volatile("cbo.flush (%0)" ::"r"(at) : "memory"); }
inline void allocate_line(void* at) { asm volatile(".insn r 0x0b, 0, 0x01, x0, %0, x0" ::"r"(at) : "memory"); }

enum class forward_option : unsigned { none = 0, into_l1 = 1, update_memory = 2, synchronous = 4 };
constexpr forward_option operator|(forward_option a, forward_option b) {
    return static_cast<forward_option>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
template <forward_option Options = forward_option::none>
void forward_line(const void* at) {
    asm volatile(".insn r 0x0b, 0, 0x00, x0, %0, x%1" ::"r"(at), "i"(static_cast<unsigned>(Options)) : "memory");
}

inline void drop_cache() { asm volatile(".insn r 0x0b, 0, 0x02, x0, x0, x0" ::: "memory"); }
inline void clean_cache() { asm volatile(".insn r 0x0b, 0, 0x03, x0, x0, x0" ::: "memory"); }

// A run-time's operations on a software-coherent L1 (paper 002, II.A): forget what others may have written since, and
// show others what was written here. Nothing where the hardware does it.
inline void cache_invalidate() { drop_cache(); }
inline void cache_flush() { clean_cache(); }

// A store that does not bring the line into the own caches. Orders like a relaxed store.
template <class T>
    requires(std::is_integral_v<T> || std::is_pointer_v<T>)
void store_without_allocating(T* to, T value) {
    if constexpr (sizeof(T) == 8)
        asm volatile("ntl.pall\n\tsd %1, %0" : "=m"(*to) : "r"(value));
    else if constexpr (sizeof(T) == 4)
        asm volatile("ntl.pall\n\tsw %1, %0" : "=m"(*to) : "r"(value));
    else if constexpr (sizeof(T) == 2)
        asm volatile("ntl.pall\n\tsh %1, %0" : "=m"(*to) : "r"(value));
    else
        asm volatile("ntl.pall\n\tsb %1, %0" : "=m"(*to) : "r"(value));
}

// Copies an object so, word by word; it is of `Size` bytes and lined up on `Alignment`, and so is where it goes.
template <std::size_t Size, std::size_t Alignment>
void copy_without_allocating(void* to, const void* from) {
    using word =
        std::conditional_t<Alignment % 8 == 0, std::uint64_t,
                           std::conditional_t<Alignment % 4 == 0, std::uint32_t,
                                              std::conditional_t<Alignment % 2 == 0, std::uint16_t, std::uint8_t>>>;
    static_assert(Size % sizeof(word) == 0);
    for (std::size_t at = 0; at < Size; at += sizeof(word)) {
        word value;
        std::memcpy(&value, static_cast<const unsigned char*>(from) + at, sizeof(word));
        store_without_allocating(reinterpret_cast<word*>(static_cast<unsigned char*>(to) + at), value);
    }
    asm volatile("" ::: "memory");  // the stores were to words; the object may be of any type
}

// The user network: queues 0 to 3 take the tags they are mapped to, queue `catch_all` the others.

inline constexpr unsigned queue_count = 4, queue_words = 128, catch_all = 4;

// A message's destination: a core, and the tag that says which of its queues.
struct address {
    std::uint64_t value;
    address(unsigned core, unsigned tag) : value(std::uint64_t{tag} << 16 | core) {}
};
inline void send_word(address to, std::uint64_t word) {
    asm volatile(".insn r 0x0b, 0, 0x08, x0, %0, %1" ::"r"(to.value), "r"(word) : "memory");
}
inline void open_message(address to, unsigned words) {
    asm volatile(".insn r 0x0b, 0, 0x09, x0, %0, %1" ::"r"(to.value), "r"(std::uint64_t{words}) : "memory");
}
inline void push_word(std::uint64_t word) { asm volatile(".insn r 0x0b, 0, 0x0a, x0, %0, x0" ::"r"(word) : "memory"); }
template <unsigned Queue>
std::uint64_t receive_word() {
    static_assert(Queue <= catch_all);
    std::uint64_t word;
    asm volatile(".insn r 0x0b, 0, 0x0b, %0, x0, x%1" : "=r"(word) : "i"(Queue) : "memory");
    return word;
}
template <unsigned Queue>
unsigned words_waiting() {
    static_assert(Queue <= catch_all);
    std::uint64_t words;
    asm volatile(".insn r 0x0b, 0, 0x0c, %0, x0, x%1" : "=r"(words) : "i"(Queue) : "memory");
    return static_cast<unsigned>(words);
}
template <unsigned Queue>
void map_queue(unsigned tag) {
    static_assert(Queue < queue_count);
    asm volatile(".insn r 0x0b, 0, 0x0d, x0, %0, x%1" ::"r"(std::uint64_t{tag}), "i"(Queue) : "memory");
}

// User-level interrupts. While they are enabled, a core whose `sources` include a queue that holds a word calls the
// handler of its thread. It does so with interrupts disabled, between two instructions or out of a wait; then it goes
// on where it was.

constexpr std::uint64_t queue_source(unsigned queue) { return std::uint64_t{1} << (16 + queue); }

// Another core's request is a source too, if the machine has them (feature::core_interrupts). A request is answered by
// the receiver's handler, or by its hardware, with no_answer, if interrupts are disabled there or another request waits
// already.
inline constexpr std::uint64_t request_source = std::uint64_t{1} << 24, request_cause = 24,
                               no_answer = ~std::uint64_t{0};

// Sends a request and goes on. `word`: 32 bits.
inline void request_interrupt(unsigned core, std::uint32_t word) {
    asm volatile(".insn r 0x0b, 0, 0x11, x0, %0, %1" ::"r"(std::uint64_t{core}), "r"(std::uint64_t{word}) : "memory");
}
// Waits for the answer to it; takes interrupts meanwhile.
inline std::uint64_t await_answer() {
    std::uint64_t word;
    asm volatile(".insn r 0x0b, 0, 0x12, %0, x0, x0" : "=r"(word)::"memory");
    return word;
}
// In the handler: who asked, with which word; and the answer.
struct interrupt_request {
    unsigned core;
    std::uint32_t word;
};
inline interrupt_request taken_request() {
    std::uint64_t value;
    asm volatile("csrr %0, 0x043" : "=r"(value));
    return {static_cast<unsigned>(value >> 32), static_cast<std::uint32_t>(value)};
}
inline void answer_interrupt(unsigned core, std::uint64_t word) {
    asm volatile(".insn r 0x0b, 0, 0x13, x0, %0, %1" ::"r"(std::uint64_t{core}), "r"(word) : "memory");
}

inline void set_interrupt_sources(std::uint64_t sources) { asm volatile("csrw 0x004, %0" ::"r"(sources) : "memory"); }
inline void enable_interrupts() { asm volatile("csrsi 0x000, 1" ::: "memory"); }
// In the handler: the thread goes on with interrupts disabled.
inline void keep_interrupts_disabled() { asm volatile("csrci 0x000, 16" ::: "memory"); }
// Whether they were enabled.
inline bool disable_interrupts() {
    std::uint64_t old;
    asm volatile("csrrci %0, 0x000, 1" : "=r"(old)::"memory");
    return (old & 1) != 0;
}

namespace detail {
inline thread_local void (*interrupt_handler)(std::uint64_t cause) = nullptr;
// Called by the trampoline below, on the interrupted thread's stack.
extern "C" [[gnu::used]] inline void croft_interrupted(std::uint64_t cause) { interrupt_handler(cause); }

// Saves what a call may change (the psABI's temporaries and arguments), calls, restores, returns from the interrupt.
[[gnu::naked, gnu::aligned(4)]] inline void interrupt_entry() {
    asm volatile(
        "addi sp, sp, -288\n"
        "sd ra, 0(sp)\n sd t0, 8(sp)\n sd t1, 16(sp)\n sd t2, 24(sp)\n sd t3, 32(sp)\n sd t4, 40(sp)\n sd t5, 48(sp)\n"
        "sd t6, 56(sp)\n sd a0, 64(sp)\n sd a1, 72(sp)\n sd a2, 80(sp)\n sd a3, 88(sp)\n sd a4, 96(sp)\n sd a5, "
        "104(sp)\n"
        "sd a6, 112(sp)\n sd a7, 120(sp)\n"
        "fsd ft0, 128(sp)\n fsd ft1, 136(sp)\n fsd ft2, 144(sp)\n fsd ft3, 152(sp)\n fsd ft4, 160(sp)\n"
        "fsd ft5, 168(sp)\n fsd ft6, 176(sp)\n fsd ft7, 184(sp)\n fsd fa0, 192(sp)\n fsd fa1, 200(sp)\n"
        "fsd fa2, 208(sp)\n fsd fa3, 216(sp)\n fsd fa4, 224(sp)\n fsd fa5, 232(sp)\n fsd fa6, 240(sp)\n"
        "fsd fa7, 248(sp)\n fsd ft8, 256(sp)\n fsd ft9, 264(sp)\n fsd ft10, 272(sp)\n fsd ft11, 280(sp)\n"
        "csrr a0, 0x042\n"
        "call croft_interrupted\n"
        "ld ra, 0(sp)\n ld t0, 8(sp)\n ld t1, 16(sp)\n ld t2, 24(sp)\n ld t3, 32(sp)\n ld t4, 40(sp)\n ld t5, 48(sp)\n"
        "ld t6, 56(sp)\n ld a0, 64(sp)\n ld a1, 72(sp)\n ld a2, 80(sp)\n ld a3, 88(sp)\n ld a4, 96(sp)\n ld a5, "
        "104(sp)\n"
        "ld a6, 112(sp)\n ld a7, 120(sp)\n"
        "fld ft0, 128(sp)\n fld ft1, 136(sp)\n fld ft2, 144(sp)\n fld ft3, 152(sp)\n fld ft4, 160(sp)\n"
        "fld ft5, 168(sp)\n fld ft6, 176(sp)\n fld ft7, 184(sp)\n fld fa0, 192(sp)\n fld fa1, 200(sp)\n"
        "fld fa2, 208(sp)\n fld fa3, 216(sp)\n fld fa4, 224(sp)\n fld fa5, 232(sp)\n fld fa6, 240(sp)\n"
        "fld fa7, 248(sp)\n fld ft8, 256(sp)\n fld ft9, 264(sp)\n fld ft10, 272(sp)\n fld ft11, 280(sp)\n"
        "addi sp, sp, 288\n"
        ".4byte 0x00200073\n");  // uret
}
}  // namespace detail

// This thread's handler. It runs on the thread's own stack; frm, fflags and the vector state are its own business.
inline void set_interrupt_handler(void (*handler)(std::uint64_t cause)) {
    detail::interrupt_handler = handler;
    asm volatile("csrw 0x005, %0" ::"r"(&detail::interrupt_entry) : "memory");
}

// DMA: this tile's engine copies, line by line, while the core goes on. One copy at a time.
inline void start_copy(void* to, const void* from, std::size_t bytes) {
    asm volatile(".insn r4 0x0b, 1, 0, x0, %0, %1, %2" ::"r"(to), "r"(from), "r"(bytes) : "memory");
}
inline bool copy_finished() {
    std::uint64_t finished;
    asm volatile(".insn r 0x0b, 0, 0x10, %0, x0, x0" : "=r"(finished)::"memory");
    return finished != 0;
}

// Where pages live (system calls). `at` and `bytes` are whole pages. False if the kernel refuses.
inline constexpr std::size_t page_bytes = 4096;
inline constexpr int home_default = -1, home_hashed = -2, home_round_robin = -3, home_none = -4;
inline bool set_home(void* at, std::size_t bytes, int home) { return ::syscall(2000, at, bytes, home) == 0; }
inline std::optional<int> home_of_pages(int home) { return home; }  // what it is told for the pages of lines
inline bool set_controller(void* at, std::size_t bytes, int controller) {
    return ::syscall(2001, at, bytes, controller) == 0;
}

// The link to a host, where there is one (system calls): slots of the program's own memory, those for input first.
// Without a link or a host link_slots() ends the run; where the others fail they return -1, and errno tells why.
struct link_sizes {
    std::size_t slot_bytes;
    unsigned input_slots, output_slots;  // as the host would have them
};
inline link_sizes link_slots() {
    const auto packed = static_cast<std::uint64_t>(::syscall(2003));
    return {packed >> 32, static_cast<unsigned>(packed >> 16 & 0xffff), static_cast<unsigned>(packed & 0xffff)};
}
inline bool open_link(void* at, unsigned input_slots, unsigned output_slots) {
    return ::syscall(2004, at, input_slots, output_slots) == 0;
}
// A slot | its message's bytes << 16; -1 at the end of the stream.
inline long receive_from_link() { return ::syscall(2005); }
inline bool release_link_slot(unsigned slot) { return ::syscall(2006, slot) == 0; }
// A slot for output; -1 once the link is closed.
inline long acquire_link_slot() { return ::syscall(2007); }
inline bool send_to_link(unsigned slot, std::size_t bytes) { return ::syscall(2008, slot, bytes) == 0; }
// Waits until everything sent has arrived; abandoning it waits for nothing, and does not tell the host.
inline bool close_link(bool abandon) { return ::syscall(2009, abandon) == 0; }

// Requests between caches for these lines are counted by themselves (a system call; the statistics "requests").
inline bool count_requests(const void* at, std::size_t bytes) { return ::syscall(2002, at, bytes) == 0; }

// The run reports the times between a begin and an end, added up, if there is one (system calls). False, without
// effect, if a region has begun already; if none has.
inline bool region_begin() { return ::syscall(2010) == 0; }
inline bool region_end() { return ::syscall(2011) == 0; }

}  // namespace croft::port
