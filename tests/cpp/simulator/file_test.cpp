#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "guest.hpp"
#include "temporary_directory.hpp"

using namespace croftsim;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t buffer = 0x8000;  // an offset into the scratch memory, beside the paths

struct Fixture {
    TemporaryDirectory directory;
    std::unique_ptr<Guest> guest;
    Fixture() { restart({}); }
    void restart(RunOptions options) {
        options.directories = {{directory.path(), "/data"}};
        options.working_directory = "/data";
        guest = std::make_unique<Guest>(2, options);
    }
    template <class... Arguments>
    std::int64_t call(std::uint64_t which, Arguments... arguments) {
        return guest->call(0, which, arguments...).value();
    }
    std::int64_t open(std::string_view path, std::uint64_t flags = 0) {
        return call(number::openat, Guest::cwd, guest->text(0, path), flags, 0666);
    }
    std::int64_t write(std::int64_t fd, std::string_view text) {
        return call(number::write, fd, guest->text(buffer, text), text.size());
    }
    std::string read(std::int64_t fd, std::uint64_t bytes = 4096) {
        const std::int64_t count = call(number::read, fd, guest->scratch + buffer, bytes);
        return count < 0 ? "error " + std::to_string(-count) : guest->string(guest->scratch + buffer, count);
    }
    std::string on_host(const std::string& name) {
        std::ostringstream text;
        text << std::ifstream(directory / name).rdbuf();
        return text.str();
    }
    abi::Stat status(std::string_view path, std::uint64_t flags = 0) {
        REQUIRE(call(number::newfstatat, Guest::cwd, guest->text(0, path), guest->scratch + buffer, flags) == 0);
        return guest->get<abi::Stat>(guest->scratch + buffer);
    }
    std::vector<std::string> list(std::int64_t fd, std::uint64_t room = 4096) {
        std::vector<std::string> names;
        for (;;) {
            const std::int64_t bytes = call(number::getdents64, fd, guest->scratch + buffer, room);
            REQUIRE(bytes >= 0);
            if (bytes == 0) return names;
            for (std::int64_t at = 0; at < bytes;) {
                const std::uint64_t entry = guest->scratch + buffer + at;
                const auto length = guest->get<std::uint16_t>(entry + 16);
                const std::string name = guest->string(entry + 19, length - 19u);
                names.emplace_back(name.c_str());
                at += length;
            }
        }
    }
};

constexpr std::uint64_t create = abi::o_create | abi::o_read_write;

}  // namespace

TEST_CASE_FIXTURE(Fixture, "files are written, sought and read") {
    const std::int64_t fd = open("new", create);
    REQUIRE(fd == 3);
    CHECK(write(fd, "hello world") == 11);
    CHECK(on_host("new") == "hello world");
    CHECK(call(number::lseek, fd, 6, 0) == 6);
    CHECK(read(fd) == "world");
    CHECK(read(fd).empty());
    CHECK(call(number::lseek, fd, -5, 2) == 6);
    CHECK(call(number::lseek, fd, -99, 1) == -EINVAL);
    CHECK(call(number::lseek, fd, 0, 3) == -EINVAL);
    CHECK(call(number::pread64, fd, guest->scratch + buffer, 3, 1) == 3);
    CHECK(guest->string(guest->scratch + buffer, 3) == "ell");
    CHECK(call(number::pwrite64, fd, guest->text(buffer, "HE"), 2, 0) == 2);
    CHECK(call(number::lseek, fd, 0, 1) == 6);
    CHECK(call(number::pread64, fd, guest->scratch + buffer, 3, -1) == -EINVAL);
    CHECK(on_host("new") == "HEllo world");
    CHECK(call(number::ftruncate, fd, 2) == 0);
    CHECK(on_host("new") == "HE");
    CHECK(call(number::close, fd) == 0);
    CHECK(call(number::close, fd) == -EBADF);
    CHECK(write(fd, "x") == -EBADF);
}

TEST_CASE_FIXTURE(Fixture, "the flags of openat") {
    CHECK(open("f") == -ENOENT);
    CHECK(open("f", create | abi::o_exclusive) == 3);
    CHECK(open("f", create | abi::o_exclusive) == -EEXIST);
    CHECK(write(3, "abc") == 3);
    CHECK(open("f", abi::o_write_only | abi::o_append) == 4);
    CHECK(write(4, "def") == 3);
    CHECK(read(4) == "error 9");
    CHECK(on_host("f") == "abcdef");
    CHECK(open("f", 0) == 5);
    CHECK(write(5, "x") == -EBADF);
    CHECK(open("f", abi::o_write_only | abi::o_truncate) == 6);
    CHECK(on_host("f").empty());
    CHECK(open("f", abi::o_directory) == -ENOTDIR);
    CHECK(open(".", abi::o_write_only) == -EISDIR);
    CHECK(open("f/", create) == -ENOTDIR);
    CHECK(open("g/", create) == -EISDIR);
    CHECK(open("f", 3) == -EINVAL);
    CHECK((fs::status(directory / "f").permissions() & fs::perms(0022)) == fs::perms::none);  // the umask
    CHECK(call(number::fcntl, 4, 3, 0) == (abi::o_append | abi::o_write_only));
    CHECK(call(number::fcntl, 6, 4, abi::o_append) == 0);
    CHECK(call(number::fcntl, 6, 3, 0) == (abi::o_append | abi::o_write_only));
}

TEST_CASE_FIXTURE(Fixture, "descriptors are the lowest free, and duplicates share their position") {
    std::ofstream(directory / "f") << "abcdef";
    CHECK(open("f") == 3);
    CHECK(call(number::dup, 3) == 4);
    CHECK(read(3, 2) == "ab");
    CHECK(read(4, 2) == "cd");
    CHECK(call(number::close, 3) == 0);
    CHECK(read(4, 2) == "ef");
    CHECK(open("f", abi::o_close_on_exec) == 3);
    CHECK(call(number::fcntl, 3, 1, 0) == 1);
    CHECK(call(number::fcntl, 4, 1, 0) == 0);
    CHECK(call(number::fcntl, 3, 0, 10) == 10);
    CHECK(call(number::fcntl, 3, 1030, 10) == 11);
    CHECK(call(number::dup3, 3, 20, 0) == 20);
    CHECK(read(20, 2) == "ab");
    CHECK(call(number::dup3, 3, 3, 0) == -EINVAL);
    CHECK(call(number::dup3, 3, 5000, 0) == -EBADF);
    CHECK(call(number::dup, 19) == -EBADF);
    CHECK(call(number::dup, -1) == -EBADF);
    CHECK(call(number::fcntl, 3, 0, 5000) == -EINVAL);
    std::int64_t last = 0;
    while ((last = call(number::dup, 3)) >= 0) CHECK(last < 1024);
    CHECK(last == -EMFILE);
}

TEST_CASE_FIXTURE(Fixture, "vectors, and pointers that lead nowhere") {
    CHECK(open("f", create) == 3);
    const std::uint64_t a = guest->text(buffer, "one"), b = guest->text(buffer + 16, "two");
    const std::uint64_t vectors = guest->put(64, std::array<std::uint64_t, 6>{a, 3, 0, 0, b, 3});
    CHECK(call(number::writev, 3, vectors, 3) == 6);
    CHECK(on_host("f") == "onetwo");
    CHECK(call(number::writev, 3, vectors, 2000) == -EINVAL);
    CHECK(call(number::writev, 3, 16, 2) == -EFAULT);
    guest->put(64, std::array<std::uint64_t, 4>{a, 3, 16, 3});
    CHECK(call(number::writev, 3, vectors, 2) == 3);  // as far as it goes
    guest->put(64, std::array<std::uint64_t, 4>{16, 3, a, 3});
    CHECK(call(number::writev, 3, vectors, 2) == -EFAULT);
    guest->put(64, std::array<std::uint64_t, 4>{a, ~std::uint64_t{0}, a, 3});
    CHECK(call(number::writev, 3, vectors, 2) == -EINVAL);
    CHECK(call(number::lseek, 3, 0, 0) == 0);
    guest->put(64, std::array<std::uint64_t, 4>{a, 2, b, 10});
    CHECK(call(number::readv, 3, vectors, 2) == 9);
    CHECK(guest->string(b, 7) == "etwoone");
    CHECK(call(number::lseek, 3, 0, 0) == 0);
    CHECK(call(number::read, 3, 16, 4) == -EFAULT);
    CHECK(call(number::read, 3, 0x10000, 4) == -EFAULT);  // code cannot be written
    CHECK(call(number::read, 3, ~std::uint64_t{0} - 2, 99) == -EFAULT);
    CHECK(call(number::write, 3, ~std::uint64_t{0} - 2, 99) == -EFAULT);
    // Linux reads what the file has into what memory there is.
    CHECK(call(number::read, 3, guest->scratch + (1 << 20) - 16, std::uint64_t{1} << 40) == 9);
}

TEST_CASE_FIXTURE(Fixture, "large transfers") {
    CHECK(open("f", create) == 3);
    std::string text(300'000, 'x');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 17);
    CHECK(write(3, text) == 300'000);
    CHECK(on_host("f") == text);
    CHECK(call(number::lseek, 3, 1, 0) == 1);
    CHECK(read(3, 400'000) == text.substr(1));
}

TEST_CASE_FIXTURE(Fixture, "standard streams") {
    CHECK(write(1, "to 1") == 4);
    CHECK(write(2, "to 2") == 4);
    CHECK(guest->output[1] == "to 1");
    CHECK(guest->output[2] == "to 2");
    CHECK(read(0).empty());
    CHECK(read(1) == "error 9");
    CHECK(write(0, "x") == -EBADF);
    CHECK(call(number::lseek, 1, 0, 1) == -ESPIPE);
    CHECK(call(number::ioctl, 1, 0x5401, guest->scratch) == -ENOTTY);
    CHECK(call(number::ioctl, 1, 0x5413, guest->scratch) == -ENOTTY);
    CHECK(call(number::ioctl, 9, 0x5413, guest->scratch) == -EBADF);
    CHECK(call(number::fstat, 1, guest->scratch + buffer) == 0);
    CHECK((guest->get<abi::Stat>(guest->scratch + buffer).mode & S_IFMT) == S_IFIFO);

    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    REQUIRE(::write(ends[1], "some input", 10) == 10);
    ::close(ends[1]);
    RunOptions options;
    options.standard_input = ends[0];
    restart(options);
    CHECK(read(0, 4) == "some");
    CHECK(read(0) == " input");
    CHECK(read(0).empty());
    ::close(ends[0]);
}

TEST_CASE_FIXTURE(Fixture, "what stat says is the same on every host") {
    std::ofstream(directory / "f") << "hello";
    std::ofstream(directory / "g") << "";
    fs::create_directory(directory / "d");
    fs::create_symlink("f", directory / "l");
    const abi::Stat f = status("f"), g = status("g"), again = status("f");
    CHECK(f.ino == 1);
    CHECK(g.ino == 2);
    CHECK(again.ino == 1);
    CHECK(f.dev == 1);
    CHECK(f.uid == 1000);
    CHECK(f.size == 5);
    CHECK(f.blocks == 1);
    CHECK(f.atime.seconds == 0);
    CHECK(f.mtime.seconds > 0);
    CHECK((f.mode & S_IFMT) == S_IFREG);
    CHECK((status("d").mode & S_IFMT) == S_IFDIR);
    CHECK((status("/").mode & S_IFMT) == S_IFDIR);
    CHECK((status("/dev/null").mode & S_IFMT) == S_IFCHR);
    CHECK(status("l").ino == 1);
    CHECK((status("l", abi::at_symlink_no_follow).mode & S_IFMT) == S_IFLNK);
    CHECK(call(number::newfstatat, Guest::cwd, guest->text(0, "none"), guest->scratch, 0) == -ENOENT);
    CHECK(call(number::newfstatat, Guest::cwd, guest->text(0, "f"), 16, 0) == -EFAULT);
    CHECK(call(number::newfstatat, Guest::cwd, guest->text(0, "f/"), guest->scratch, 0) == -ENOTDIR);
    CHECK(open("f") == 3);
    CHECK(call(number::newfstatat, 3, guest->text(0, ""), guest->scratch + buffer, abi::at_empty_path) == 0);
    CHECK(guest->get<abi::Stat>(guest->scratch + buffer).ino == 1);
    CHECK(call(number::statx, Guest::cwd, guest->text(0, "f"), 0, 0x7ff, guest->scratch + buffer) == 0);
    const auto extended = guest->get<abi::Statx>(guest->scratch + buffer);
    CHECK(extended.size == 5);
    CHECK(extended.ino == 1);
    CHECK(extended.mtime.seconds == f.mtime.seconds);
    // An inode that the host uses again is a new one for the program.
    CHECK(call(number::unlinkat, Guest::cwd, guest->text(0, "g"), 0) == 0);
    CHECK(open("h", create) >= 0);
    const std::uint64_t next = status("h").ino;
    CHECK(next > 2);
}

TEST_CASE_FIXTURE(Fixture, "access") {
    std::ofstream(directory / "f") << "x";
    fs::create_symlink("none", directory / "dangling");
    CHECK(call(number::faccessat, Guest::cwd, guest->text(0, "f"), 4) == 0);
    CHECK(call(number::faccessat, Guest::cwd, guest->text(0, "f"), 1) == -EACCES);
    CHECK(call(number::faccessat, Guest::cwd, guest->text(0, "none"), 0) == -ENOENT);
    CHECK(call(number::faccessat, Guest::cwd, guest->text(0, "dangling"), 0) == -ENOENT);
    CHECK(call(number::faccessat2, Guest::cwd, guest->text(0, "dangling"), 0, abi::at_symlink_no_follow) == 0);
    CHECK(call(number::faccessat, Guest::cwd, guest->text(0, "."), 6) == 0);
    CHECK(call(number::faccessat, Guest::cwd, guest->text(0, "/"), 4) == 0);
    CHECK(call(number::faccessat, Guest::cwd, guest->text(0, "/"), 2) == -EACCES);
    CHECK(call(number::faccessat, Guest::cwd, guest->text(0, "f"), 9) == -EINVAL);
}

TEST_CASE_FIXTURE(Fixture, "directories are listed in the order of their names") {
    for (const char* name : {"b", "a", "c"}) std::ofstream(directory / name) << name;
    using Names = std::vector<std::string>;
    const std::int64_t fd = open(".", abi::o_directory);
    CHECK(list(fd) == Names{".", "..", "a", "b", "c"});
    CHECK(list(fd).empty());
    std::ofstream(directory / "d") << "";
    CHECK(call(number::lseek, fd, 0, 0) == 0);
    CHECK(list(fd, 48) == Names{".", "..", "a", "b", "c", "d"});  // in several pieces
    CHECK(call(number::lseek, fd, 0, 0) == 0);
    CHECK(call(number::getdents64, fd, guest->scratch, 8) == -EINVAL);
    CHECK(call(number::getdents64, fd, 16, 4096) == -EFAULT);
    CHECK(list(fd).size() == 6);
    CHECK(list(open("/")) == Names{".", "..", "data"});
    CHECK(call(number::getdents64, open("a"), guest->scratch, 4096) == -ENOTDIR);
    CHECK(read(fd) == "error " + std::to_string(EISDIR));
}

TEST_CASE_FIXTURE(Fixture, "making, renaming, removing, and going there") {
    CHECK(call(number::mkdirat, Guest::cwd, guest->text(0, "d"), 0777) == 0);
    CHECK(call(number::mkdirat, Guest::cwd, guest->text(0, "d"), 0777) == -EEXIST);
    CHECK(call(number::mkdirat, Guest::cwd, guest->text(0, "/data"), 0777) == -EEXIST);
    CHECK(call(number::mkdirat, Guest::cwd, guest->text(0, "no/d"), 0777) == -ENOENT);
    CHECK(call(number::chdir, guest->text(0, "d")) == 0);
    CHECK(call(number::getcwd, guest->scratch + buffer, 100) == 8);
    CHECK(guest->string(guest->scratch + buffer, 7) == "/data/d");
    CHECK(call(number::getcwd, guest->scratch + buffer, 7) == -ERANGE);
    CHECK(open("f", create) == 3);
    CHECK(fs::exists(directory / "d/f"));
    CHECK(call(number::chdir, guest->text(0, "f")) == -ENOTDIR);
    CHECK(call(number::chdir, guest->text(0, "..")) == 0);
    CHECK(call(number::renameat2, Guest::cwd, guest->text(0, "d/f"), Guest::cwd, guest->text(256, "g"), 0) == 0);
    CHECK(fs::exists(directory / "g"));
    CHECK(open("h", create) == 4);
    CHECK(call(number::renameat2, Guest::cwd, guest->text(0, "h"), Guest::cwd, guest->text(256, "g"), 1) == -EEXIST);
    CHECK(call(number::renameat2, Guest::cwd, guest->text(0, "none"), Guest::cwd, guest->text(256, "g"), 0) == -ENOENT);
    CHECK(call(number::renameat2, Guest::cwd, guest->text(0, "h"), Guest::cwd, guest->text(256, "x/"), 0) == -ENOTDIR);
    CHECK(call(number::unlinkat, Guest::cwd, guest->text(0, "d"), 0) == -EISDIR);
    CHECK(call(number::unlinkat, Guest::cwd, guest->text(0, "d"), abi::at_remove_directory) == 0);
    CHECK(call(number::unlinkat, Guest::cwd, guest->text(0, "g"), abi::at_remove_directory) == -ENOTDIR);
    CHECK(call(number::unlinkat, Guest::cwd, guest->text(0, "g"), 0) == 0);
    CHECK(call(number::unlinkat, Guest::cwd, guest->text(0, "g"), 0) == -ENOENT);
    fs::create_symlink("somewhere", directory / "l");
    CHECK(call(number::readlinkat, Guest::cwd, guest->text(0, "l"), guest->scratch + buffer, 100) == 9);
    CHECK(guest->string(guest->scratch + buffer, 9) == "somewhere");
    CHECK(call(number::readlinkat, Guest::cwd, guest->text(0, "h"), guest->scratch + buffer, 100) == -EINVAL);
}

TEST_CASE_FIXTURE(Fixture, "copying from file to file") {
    std::ofstream(directory / "from") << "0123456789";
    CHECK(open("from") == 3);
    CHECK(open("to", create) == 4);
    CHECK(call(number::sendfile, 4, 3, 0, 4) == 4);
    CHECK(read(3, 2) == "45");
    const std::uint64_t offset = guest->put(64, std::uint64_t{8});
    CHECK(call(number::copy_file_range, 3, offset, 4, 0, 100, 0) == 2);
    CHECK(guest->get<std::uint64_t>(offset) == 10);
    CHECK(read(3, 2) == "67");
    CHECK(on_host("to") == "012389");
    guest->put(64, std::uint64_t{1});
    CHECK(call(number::copy_file_range, 3, 0, 4, offset, 1, 0) == 1);
    CHECK(on_host("to") == "082389");
    CHECK(call(number::sendfile, 1, 3, guest->put(64, std::uint64_t{0}), 100) == 10);
    CHECK(guest->output[1] == "0123456789");
    CHECK(call(number::sendfile, 3, 4, 0, 4) == -EBADF);
    CHECK(call(number::sendfile, 4, 3, 16, 4) == -EFAULT);
    CHECK(call(number::copy_file_range, 0, 0, 4, 0, 4, 0) == -EINVAL);
    CHECK(call(number::copy_file_range, 3, 0, 4, 0, 4, 1) == -EINVAL);
    CHECK(call(number::copy_file_range, 33, 0, 4, 0, 4, 0) == -EBADF);
}
