#include "kernel/loader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace croftsim {
namespace {

constexpr std::uint64_t stack_end = System::stack_end;
constexpr std::uint64_t most_text = System::stack_bytes / 4;  // arguments and environment, as Linux

std::uint64_t down(std::uint64_t address) { return address / page * page; }
std::uint64_t up(std::uint64_t address) { return down(address + page - 1); }

void map_segments(System& system, const Elf& elf) {
    for (const Elf::Segment& segment : elf.segments) {
        std::uint64_t first = down(segment.address);
        const std::uint64_t end = up(segment.end());
        // Two segments may meet within a page, which then allows what either does.
        if (const Page* shared = system.memory.find(first)) {
            system.memory.protect(first, page, shared->permission | segment.permission);
            first += page;
        }
        if (first < end && !system.memory.map(first, end - first, segment.permission))
            throw BadProgram("the program does not fit into the address space");
        system.memory.write_dram(segment.address, segment.file.data(), segment.file.size());
    }
}

// The file at that path, if the program may see it.
std::vector<std::uint8_t> read_interpreter(System& system, const std::string& path) {
    try {
        const Sandbox& sandbox = system.files.sandbox;
        const HostDescriptor file = Sandbox::open_file(sandbox.resolve(sandbox.root(), path, true), O_RDONLY, 0);
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(std::max<off_t>(0, ::lseek(file.get(), 0, SEEK_END))));
        if (::pread(file.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) throw Errno{EIO};
        return bytes;
    } catch (const Errno&) {
        throw BadProgram("the program is dynamically linked, and sees no " + path +
                         ": name the folder of a RISC-V system that has it (--sysroot), or link it with -static");
    }
}

Elf parse_interpreter(std::span<const std::uint8_t> file, const std::string& path) {
    try {
        return parse_elf(file, Elf::interpreter_base);
    } catch (const BadProgram& error) {
        throw BadProgram("the program's interpreter " + path + " cannot be loaded: " + error.what());
    }
}

// The stack as the program finds it (System V ABI, 3.4.1): argc, argv, 0, envp, 0, the auxiliary vector; above them the
// strings.
class StackBuilder {
public:
    explicit StackBuilder(System& system) : system_(system) {}

    std::uint64_t push(const void* bytes, std::uint64_t count) {
        if (count > top_ - (stack_end - most_text))
            throw BadProgram("the program's arguments and environment are longer than 2 MiB");
        top_ -= count;
        system_.memory.write_dram(top_, bytes, count);
        return top_;
    }
    std::uint64_t push(const std::string& text) { return push(text.c_str(), text.size() + 1); }

    // The words start at a multiple of 16 bytes.
    std::uint64_t push_words(const std::vector<std::uint64_t>& words) {
        const std::uint64_t bytes = words.size() * 8;
        if (bytes > top_ - (stack_end - most_text) - 16)
            throw BadProgram("the program's arguments and environment are longer than 2 MiB");
        top_ = (top_ - bytes) / 16 * 16;
        system_.memory.write_dram(top_, words.data(), bytes);
        return top_;
    }

private:
    System& system_;
    std::uint64_t top_ = stack_end - 16;  // zeros above the last string, as on Linux
};

std::uint64_t build_stack(System& system, const Elf& elf, std::uint64_t interpreter_at) {
    if (!system.map_fresh(stack_end - System::stack_bytes, System::stack_bytes, Permission::read | Permission::write))
        throw BadProgram("the program leaves no room for its stack");
    StackBuilder stack(system);
    const std::vector<std::string>& arguments = system.options.arguments;
    const std::uint64_t name = stack.push(arguments.empty() ? "" : arguments.front());
    std::array<std::uint8_t, 16> random;
    system.random.fill(random);
    const std::uint64_t random_address = stack.push(random.data(), random.size());

    std::vector<std::uint64_t> words{arguments.size()};
    for (const std::string& argument : arguments) words.push_back(stack.push(argument));
    words.push_back(0);
    for (const std::string& variable : system.options.environment) words.push_back(stack.push(variable));
    words.push_back(0);

    const auto extension = [](char letter) { return std::uint64_t{1} << (letter - 'A'); };
    enum : std::uint64_t {
        end = 0,
        phdr = 3,
        phent = 4,
        phnum = 5,
        pagesz = 6,
        base = 7,
        flags = 8,
        entry = 9,
        uid = 11,
        euid = 12,
        gid = 13,
        egid = 14,
        hwcap = 16,
        clktck = 17,
        secure = 23,
        random_bytes = 25,
        execfn = 31
    };
    const std::uint64_t auxiliary[][2] = {
        {phdr, elf.headers_address},
        {phent, Elf::header_bytes},
        {phnum, elf.headers},
        {pagesz, page},
        {base, interpreter_at},
        {flags, 0},
        {entry, elf.entry},
        {uid, System::user_id},
        {euid, System::user_id},
        {gid, System::user_id},
        {egid, System::user_id},
        {hwcap, extension('I') | extension('M') | extension('A') | extension('F') | extension('D') | extension('C')},
        {clktck, 100},
        {secure, 0},
        {random_bytes, random_address},
        {execfn, name},
        {end, 0}};
    for (const auto& [key, value] : auxiliary) words.insert(words.end(), {key, value});
    return stack.push_words(words);
}

}  // namespace

Hart load_program(System& system, const Elf& elf) {
    map_segments(system, elf);
    system.map.break_first = system.map.break_now = up(elf.segments.back().end());
    Hart hart;
    hart.pc = elf.entry;
    if (!elf.interpreter.empty()) {
        const std::vector<std::uint8_t> file = read_interpreter(system, elf.interpreter);
        const Elf interpreter = parse_interpreter(file, elf.interpreter);
        map_segments(system, interpreter);
        hart.pc = interpreter.entry;
    }
    hart.x[Hart::sp] = build_stack(system, elf, elf.interpreter.empty() ? 0 : Elf::interpreter_base);
    return hart;
}

}  // namespace croftsim
