#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "guest.hpp"
#include "temporary_directory.hpp"

using namespace croftsim;

namespace {

constexpr std::uint64_t page_bytes = 4096, shared = 1;

struct SharedFile {
    TemporaryDirectory directory;
    std::unique_ptr<Guest> guest;
    std::int64_t fd = 0;

    SharedFile() {
        RunOptions options;
        options.directories = {{directory.path(), "/data"}};
        guest = std::make_unique<Guest>(2, options);
        std::ofstream(directory / "file") << std::string(2 * page_bytes, '.');
        fd = open(2);
    }
    std::int64_t open(std::uint64_t flags) {
        return *guest->call(0, number::openat, Guest::cwd, guest->text(0, "/data/file"), flags, 0);
    }
    std::int64_t map(std::uint64_t bytes, std::uint64_t protection = 3, std::uint64_t offset = 0) {
        return *guest->call(0, number::mmap, 0, bytes, protection, shared, fd, offset);
    }
    void put(std::int64_t at, std::string_view text) {
        guest->machine.write(static_cast<std::uint64_t>(at),
                             {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    }
    std::string on_host() {
        std::ostringstream text;
        text << std::ifstream(directory / "file").rdbuf();
        return text.str();
    }
    std::string read_at(std::uint64_t offset, std::uint64_t bytes) {
        REQUIRE(guest->call(0, number::pread64, fd, guest->scratch + 256, bytes, offset) ==
                static_cast<std::int64_t>(bytes));
        return guest->string(guest->scratch + 256, bytes);
    }
};

}  // namespace

TEST_CASE_FIXTURE(SharedFile, "what is written to a shared mapping is in the file once it is asked for") {
    const std::int64_t at = map(2 * page_bytes);
    REQUIRE(at > 0);
    put(at + 4096, "memory");
    CHECK(on_host()[4096] == '.');
    CHECK(read_at(4096, 6) == "memory");
    put(at, "first");
    CHECK(guest->call(0, number::msync, at, page_bytes, 4) == 0);
    CHECK(on_host().starts_with("first."));
    put(at + 10, "unmapped");
    CHECK(guest->call(0, number::munmap, at, page_bytes) == 0);
    CHECK(on_host().substr(10, 8) == "unmapped");
    put(at + 5000, "ends");
    guest->call(0, number::exit_group, 0);
    CHECK(on_host().substr(5000, 4) == "ends");
    CHECK(on_host().size() == 2 * page_bytes);
}

TEST_CASE_FIXTURE(SharedFile, "what is written to the file is in the mapping") {
    const std::int64_t at = map(2 * page_bytes);
    put(at, "xxxt");
    CHECK(guest->call(0, number::pwrite64, fd, guest->text(64, "written"), 7, 100) == 7);
    CHECK(guest->string(static_cast<std::uint64_t>(at) + 100, 7) == "written");
    CHECK(guest->call(0, number::write, fd, guest->scratch + 64, 3) == 3);
    CHECK(guest->string(static_cast<std::uint64_t>(at), 4) == "writ");
}

TEST_CASE_FIXTURE(SharedFile, "what a shared mapping cannot be") {
    const std::int64_t at = map(page_bytes);
    REQUIRE(at > 0);
    CHECK(map(page_bytes) == -ENODEV);  // a byte would have two addresses
    CHECK(map(page_bytes, 3, page_bytes) > 0);
    CHECK(guest->call(0, number::mremap, at, page_bytes, 2 * page_bytes, 1, 0) == -ENOMEM);
    CHECK(guest->call(0, number::msync, at + 1, page_bytes, 4) == -EINVAL);
    CHECK(guest->call(0, number::msync, at, page_bytes, 5) == -EINVAL);
    CHECK(guest->call(0, number::msync, 4096, page_bytes, 4) == -ENOMEM);
    fd = open(0);
    CHECK(map(page_bytes) == -EACCES);
    CHECK(map(page_bytes, 1) > 0);
}
