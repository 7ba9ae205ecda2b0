#include "kernel/sandbox.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <filesystem>
#include <fstream>

#include "guest.hpp"
#include "kernel/errno.hpp"
#include "temporary_directory.hpp"

using namespace croftsim;
namespace fs = std::filesystem;

namespace {

// outside/secret                not granted
// granted/                      /data for the program
//   file  below/deep/file  and whatever links a test adds
struct Fixture {
    TemporaryDirectory directory;
    fs::path granted = directory / "granted", outside = directory / "outside";
    std::unique_ptr<Guest> guest;

    Fixture() {
        fs::create_directories(granted / "below" / "deep");
        fs::create_directories(outside / "below");
        std::ofstream(outside / "secret") << "secret";
        std::ofstream(granted / "file") << "hello";
        std::ofstream(granted / "below" / "deep" / "file") << "deep";
        grant({{granted.string(), "/data"}});
    }
    void grant(std::vector<Directory> directories, std::string working_directory = "/") {
        RunOptions options;
        options.directories = std::move(directories);
        options.working_directory = std::move(working_directory);
        guest = std::make_unique<Guest>(2, options);
    }
    std::int64_t open(std::string_view path, std::uint64_t flags = 0, std::uint64_t base = Guest::cwd) {
        return *guest->call(0, number::openat, base, guest->text(0, path), flags, 0644);
    }
    // The contents of a file of the program, or the error.
    std::string contents(std::string_view path, std::uint64_t base = Guest::cwd) {
        const std::int64_t fd = open(path, 0, base);
        if (fd < 0) return "error " + std::to_string(-fd);
        const std::int64_t count = *guest->call(0, number::read, fd, guest->scratch + 8192, 4096);
        guest->call(0, number::close, fd);
        return count < 0 ? "error " + std::to_string(-count) : guest->string(guest->scratch + 8192, count);
    }
    void link(const fs::path& target, const std::string& name) { fs::create_symlink(target, granted / name); }
};

const std::string no_entry = "error " + std::to_string(ENOENT);

}  // namespace

TEST_CASE_FIXTURE(Fixture, "granted files are there under their guest names, and nothing else is") {
    CHECK(contents("/data/file") == "hello");
    CHECK(contents("data/./below//deep/../deep/file") == "deep");
    CHECK(contents("/file") == no_entry);
    CHECK(contents((granted / "file").string()) == no_entry);
    CHECK(contents((outside / "secret").string()) == no_entry);
    for (const char* path : {"/etc/passwd", "/proc/self/root/etc/passwd", "/proc/self/exe", "/proc/self/fd/0",
                             "/dev/mem", "/dev/tty", "/sys", "/data/proc", "/dev/fd/0"})
        CHECK_MESSAGE(contents(path) == no_entry, path);
    CHECK(open("") == -ENOENT);
    CHECK(open("/data/file/") == -ENOTDIR);
    CHECK(open("/data/file/x") == -ENOTDIR);
    CHECK(open("/data/file/..") == -ENOTDIR);
    CHECK(open(std::string(5000, 'a')) == -ENAMETOOLONG);
    CHECK(open("/data/" + std::string(300, 'a')) == -ENAMETOOLONG);
    CHECK(*guest->call(0, number::openat, Guest::cwd, 24, 0, 0) == -EFAULT);
}

TEST_CASE_FIXTURE(Fixture, "no number of .. leaves the granted directory") {
    for (const char* path : {"/data/../outside/secret", "/data/../../outside/secret", "../outside/secret",
                             "/data/below/../../outside/secret", "/data/below/../../../../../../../etc/passwd",
                             "/../../../etc/passwd", "/data/below/deep/../../../outside/secret"})
        CHECK_MESSAGE(contents(path) == no_entry, path);
    CHECK(contents("/data/../data/file") == "hello");
    CHECK(contents("/../../data/below/../file") == "hello");
}

TEST_CASE_FIXTURE(Fixture, "the same from a granted directory that is the program's root") {
    grant({{granted.string(), "/"}});
    CHECK(contents("/file") == "hello");
    CHECK(contents("/../outside/secret") == no_entry);
    CHECK(contents("/below/../../outside/secret") == no_entry);
    CHECK(contents("/../file") == "hello");
    link("../outside/secret", "up");
    CHECK(contents("/up") == no_entry);
}

TEST_CASE_FIXTURE(Fixture, "symbolic links are followed as the program sees them") {
    link("file", "relative");
    link("/data/file", "absolute");
    link("below/deep", "shortcut");
    link("relative", "chain");
    CHECK(contents("/data/relative") == "hello");
    CHECK(contents("/data/absolute") == "hello");
    CHECK(contents("/data/chain") == "hello");
    CHECK(contents("/data/shortcut/file") == "deep");
    CHECK(contents("/data/shortcut/../../file") == "hello");  // `..` of where the link leads, as in Linux
    CHECK(open("/data/relative", abi::o_no_follow) == -ELOOP);
    CHECK(open("/data/relative/") == -ENOTDIR);
}

TEST_CASE_FIXTURE(Fixture, "symbolic links that lead out lead nowhere") {
    link(outside / "secret", "absolute");
    link("../outside/secret", "relative");
    link("../outside", "up");
    link("..", "parent");
    link("below/../../outside/secret", "hidden");
    link("chain2", "chain1");
    link("up/secret", "chain2");
    link("/proc/self/root", "proc");
    link("/", "root");
    link("below/deep/../../../outside", "deep");
    for (const char* path : {"/data/absolute", "/data/relative", "/data/up/secret", "/data/parent/outside/secret",
                             "/data/hidden", "/data/chain1", "/data/proc/etc/passwd", "/data/root/etc/passwd",
                             "/data/deep/secret", "/data/up/../outside/secret"})
        CHECK_MESSAGE(contents(path) == no_entry, path);
    CHECK(contents("/data/root/data/file") == "hello");
    link("loop2", "loop1");
    link("loop1", "loop2");
    CHECK(open("/data/loop1") == -ELOOP);
    CHECK(open("/data/loop1/x") == -ELOOP);
}

TEST_CASE_FIXTURE(Fixture, "nothing is made, changed or removed outside") {
    link("../outside/new", "new");
    link("../outside", "up");
    link(outside / "secret", "secret");
    CHECK(open("/data/new", abi::o_create | abi::o_write_only) == -ENOENT);
    CHECK(open("/data/up/new", abi::o_create | abi::o_write_only) == -ENOENT);
    CHECK(open("/data/../outside/new", abi::o_create | abi::o_write_only) == -ENOENT);
    CHECK(open("/new", abi::o_create | abi::o_write_only) == -EACCES);
    CHECK(open("/data/secret", abi::o_truncate | abi::o_write_only) == -ENOENT);
    Guest& g = *guest;
    CHECK(g.call(0, number::unlinkat, Guest::cwd, g.text(0, "/data/up/secret"), 0) == -ENOENT);
    CHECK(g.call(0, number::mkdirat, Guest::cwd, g.text(0, "/data/up/new"), 0755) == -ENOENT);
    CHECK(g.call(0, number::mkdirat, Guest::cwd, g.text(0, "/new"), 0755) == -EACCES);
    CHECK(g.call(0, number::renameat2, Guest::cwd, g.text(0, "/data/file"), Guest::cwd,
                 g.text(256, "/data/../outside/file"), 0) == -ENOENT);
    CHECK(g.call(0, number::renameat2, Guest::cwd, g.text(0, "/data/up/secret"), Guest::cwd, g.text(256, "/data/got"),
                 0) == -ENOENT);
    CHECK(g.call(0, number::renameat2, Guest::cwd, g.text(0, "/data"), Guest::cwd, g.text(256, "/data/below/x"), 0) ==
          -EBUSY);
    CHECK(g.call(0, number::unlinkat, Guest::cwd, g.text(0, "/data"), abi::at_remove_directory) == -EBUSY);
    CHECK(g.call(0, number::symlinkat, g.text(0, "/etc"), Guest::cwd, g.text(256, "/data/etc")) == -EPERM);
    CHECK(g.call(0, number::faccessat, Guest::cwd, g.text(0, "/data/up/secret"), 4) == -ENOENT);
    CHECK(g.call(0, number::readlinkat, Guest::cwd, g.text(0, "/data/up/../secret"), g.scratch + 512, 99) == -ENOENT);
    CHECK(fs::exists(outside / "secret"));
    CHECK(fs::file_size(outside / "secret") == 6);
    CHECK_FALSE(fs::exists(outside / "new"));
    // The link itself may go.
    CHECK(g.call(0, number::unlinkat, Guest::cwd, g.text(0, "/data/secret"), 0) == 0);
    CHECK(fs::exists(outside / "secret"));
}

TEST_CASE_FIXTURE(Fixture, "a directory that is moved away while it is open leads up to where it was") {
    const std::int64_t deep = open("/data/below/deep", abi::o_directory);
    REQUIRE(deep >= 0);
    CHECK(guest->call(0, number::chdir, guest->text(0, "/data/below/deep")) == 0);
    fs::rename(granted / "below" / "deep", outside / "below" / "deep");
    CHECK(contents("file", deep) == "deep");            // it was granted when it was opened
    CHECK(contents("../../secret", deep) == no_entry);  // on the host that is outside/secret
    CHECK(contents("../../secret") == no_entry);
    CHECK(contents("../../file", deep) == "hello");
}

TEST_CASE_FIXTURE(Fixture, "a directory that becomes a link is not followed past the sandbox") {
    CHECK(contents("/data/below/deep/file") == "deep");
    fs::rename(granted / "below", granted / "was");
    link("../outside", "below");
    CHECK(contents("/data/below/secret") == no_entry);
    // Past the look at the name: the step itself refuses a link.
    const Sandbox sandbox({{granted.string(), "/data"}});
    const Sandbox::Target target{sandbox.resolve(sandbox.root(), "/data/file", true).directory, "below", false};
    try {
        sandbox.enter(target);
        FAIL("entered a symbolic link");
    } catch (const Errno& error) {
        CHECK(error.code == ENOTDIR);
    }
    try {
        Sandbox::open_file(target, O_RDONLY, 0);
        FAIL("opened a symbolic link");
    } catch (const Errno& error) {
        CHECK(error.code == ELOOP);
    }
}

TEST_CASE_FIXTURE(Fixture, "special files are not opened") {
    REQUIRE(::mkfifo((granted / "fifo").c_str(), 0600) == 0);
    CHECK(open("/data/fifo") == -EACCES);
    CHECK(open("/data/fifo", abi::o_write_only) == -EACCES);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s", (granted / "socket").c_str());
    REQUIRE(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    CHECK(open("/data/socket") == -EACCES);
    ::close(socket);
    grant({{"/dev", "/real"}});
    CHECK(open("/real/null") == -EACCES);
    CHECK(open("/real/zero") == -EACCES);
}

TEST_CASE_FIXTURE(Fixture, "directories can be granted inside one another, and below names that are nothing else") {
    grant({{granted.string(), "/a/b"}, {outside.string(), "/a/b/below"}}, "/a/b");
    CHECK(contents("file") == "hello");
    CHECK(contents("below/secret") == "secret");
    CHECK(contents("below/../file") == "hello");
    CHECK(contents("/a/b/below/deep/file") == no_entry);  // hidden by what is granted there
    CHECK(open("/a") >= 0);
    CHECK(open("/a", abi::o_write_only) == -EISDIR);
    CHECK(open("/a/new", abi::o_create | abi::o_write_only) == -EACCES);
    CHECK(guest->call(0, number::getcwd, guest->scratch, 100) == 5);
    CHECK(guest->string(guest->scratch, 5) == std::string("/a/b\0", 5));
}

TEST_CASE_FIXTURE(Fixture, "nothing changes in a directory that is granted to be read only") {
    fs::create_directory(outside / "given");
    link("/given", "to_given");
    grant({{granted.string(), "/data", true}, {(outside / "given").string(), "/given"}});
    const auto path_call = [&](std::uint64_t call, std::string_view path, auto... rest) {
        return *guest->call(0, call, Guest::cwd, guest->text(0, path), rest...);
    };
    const std::string at = "/data/below/deep/file";
    CHECK(contents(at) == "deep");
    for (const std::uint64_t flags :
         {abi::o_write_only, abi::o_read_write, abi::o_read_only | abi::o_truncate, abi::o_write_only | abi::o_append})
        CHECK(open(at, flags) == -EROFS);
    CHECK(open("/data/new", abi::o_create) == -EROFS);
    CHECK(open("/data/below/new", abi::o_create | abi::o_write_only) == -EROFS);
    CHECK(open(at, abi::o_create) >= 0);  // it is there
    const std::int64_t fd = open(at);
    CHECK(*guest->call(0, number::fchmod, fd, 0777) == -EROFS);
    CHECK(*guest->call(0, number::ftruncate, fd, 0) == -EINVAL);  // not opened for writing
    CHECK(*guest->call(0, number::truncate, guest->text(0, at), 0) == -EROFS);
    CHECK(path_call(number::mkdirat, "/data/new", 0755) == -EROFS);
    CHECK(path_call(number::unlinkat, at, 0) == -EROFS);
    CHECK(path_call(number::faccessat, at, W_OK) == -EROFS);
    CHECK(path_call(number::faccessat, at, R_OK) == 0);
    const auto rename = [&](std::string_view from, std::string_view to) {
        return *guest->call(0, number::renameat2, Guest::cwd, guest->text(0, from), Guest::cwd, guest->text(256, to),
                            0);
    };
    CHECK(open("/data/to_given/mine", abi::o_create | abi::o_write_only) >= 0);  // where the link leads, it may
    CHECK(rename("/given/mine", "/data/mine") == -EROFS);
    CHECK(rename(at, "/given/file") == -EROFS);
    CHECK(rename("/given/mine", "/given/yours") == 0);
    CHECK(fs::exists(outside / "given" / "yours"));
    CHECK(contents(at) == "deep");
}

TEST_CASE_FIXTURE(Fixture, "impossible grants are refused") {
    CHECK_THROWS_WITH_AS(grant({{(directory / "none").string(), "/x"}}), doctest::Contains("cannot open the directory"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(grant({{(granted / "file").string(), "/x"}}), doctest::Contains("Not a directory"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(grant({{granted.string(), "x"}}), doctest::Contains("begin with a slash"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(grant({{granted.string(), "/x/../y"}}), doctest::Contains("contains .."),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(grant({{granted.string(), "/x"}, {outside.string(), "/x/"}}),
                         doctest::Contains("two directories"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(grant({{granted.string(), "/x"}}, "/y"), doctest::Contains("working directory /y"),
                         std::invalid_argument);
}

TEST_CASE_FIXTURE(Fixture, "the kernel's own devices") {
    CHECK(contents("/dev/null").empty());
    CHECK(contents("/dev/zero") == std::string(4096, '\0'));
    const std::string random = contents("/dev/urandom");
    CHECK(random.size() == 4096);
    CHECK(random != contents("/dev/urandom"));
    CHECK(open("/dev/null/x") == -ENOTDIR);
    CHECK(guest->call(0, number::unlinkat, Guest::cwd, guest->text(0, "/dev/null"), 0) == -EACCES);
    grant({{granted.string(), "/data"}});
    CHECK(random == contents("/dev/urandom"));  // from the seed
}
