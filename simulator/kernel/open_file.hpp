#pragma once
// The file, pipe or device behind a file descriptor of the program.

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/archive.hpp"
#include "base/digest.hpp"
#include "base/random.hpp"
#include "kernel/clock.hpp"
#include "kernel/errno.hpp"
#include "kernel/host_descriptor.hpp"
#include "kernel/linux_abi.hpp"
#include "kernel/sandbox.hpp"
#include "kernel/waiting.hpp"

namespace croftsim {

// Every operation throws Errno; those that a kind of file lacks do so with Linux' error for them.
class OpenFile {
public:
    explicit OpenFile(std::uint32_t flags_, std::string path_ = {}) : flags(flags_), path(std::move(path_)) {}
    virtual ~OpenFile() = default;

    virtual std::size_t read(std::span<std::uint8_t>) { throw Errno{EBADF}; }  // fewer bytes only at the end
    virtual std::size_t write(std::span<const std::uint8_t>) { throw Errno{EBADF}; }
    virtual std::size_t read_at(std::span<std::uint8_t>, std::uint64_t) { throw Errno{ESPIPE}; }
    virtual std::size_t write_at(std::span<const std::uint8_t>, std::uint64_t) { throw Errno{ESPIPE}; }
    virtual std::int64_t seek(std::int64_t, int) { throw Errno{ESPIPE}; }
    virtual void truncate(std::uint64_t) { throw Errno{EINVAL}; }
    virtual void synchronise() { throw Errno{EINVAL}; }
    virtual void set_append(bool) {}
    virtual void set_mode(unsigned) { throw Errno{EPERM}; }
    virtual struct stat status() const = 0;  // device and inode are the host's, or nobody else's
    virtual bool is_regular() const { return false; }
    virtual Sandbox::PlacePointer place() const { return nullptr; }  // of a directory

    // What poll() finds (abi::poll_*). A file that never makes anybody wait is ready.
    virtual std::uint32_t ready() { return abi::poll_reads | abi::poll_writes; }
    virtual bool can_be_polled() const { return false; }  // by epoll
    // If reading or writing may have to wait: which it is. Such a file throws Errno{EAGAIN} then. It reads and writes
    // all the bytes of a call at once.
    virtual std::optional<Waits> waits() const { return std::nullopt; }
    virtual bool takes_messages() const { return false; }  // a write is taken as a whole, or not
    // How long, in ns.
    virtual std::uint64_t read_limit() const { return Clock::never; }
    virtual std::uint64_t write_limit() const { return Clock::never; }
    // How often it has become ready anew for one of `wanted`, for those that want to hear of each time (EPOLLET).
    virtual std::uint64_t changes(std::uint32_t) { return 0; }
    virtual void tell_each_change() {}
    virtual std::uint64_t readable_bytes() { throw Errno{ENOTTY}; }  // FIONREAD
    // A reader learns of all that writers of the same key have done before; 0: of nothing.
    virtual std::uint64_t read_key() const { return 0; }
    virtual std::uint64_t write_key() const { return 0; }

    bool may_read() const { return (flags & abi::o_access_mode) != abi::o_write_only; }
    bool may_write() const { return (flags & abi::o_access_mode) != abi::o_read_only; }

    enum class Kind : std::uint8_t {
        input,
        output,
        regular,
        directory,
        device,
        pipe,
        counter,
        timer,
        interest,
        socket
    };
    virtual Kind kind() const = 0;
    // The numbers that a file of that kind and path has beside them. files_state.cpp says how files are kept, and found
    // again.
    virtual void serialise(Archive& archive) = 0;

    std::uint32_t flags;       // openat's
    std::uint64_t number = 0;  // of all that have been opened; Files gives it
    const std::string path;    // where it was opened; the program's name for it
};

// A file without a host file behind it gets this device number.
constexpr std::uint64_t invented_device = ~std::uint64_t{0};
constexpr std::uint64_t invented_numbers = std::uint64_t{1} << 32;  // and its inode one from here on
constexpr std::uint64_t file_keys = std::uint64_t{1} << 32;         // OpenFile::read_key of a single file
struct stat invented_status(unsigned mode, std::uint64_t number);

// Stream 0. Reads wait for all the bytes they ask for, or for the end, because it is chance in how many pieces another
// process writes them. (Not so at a terminal, where a line is what there is.)
class InputStream final : public OpenFile {
public:
    explicit InputStream(int host) : OpenFile(abi::o_read_only), host_(host) {}  // -1: empty
    std::size_t read(std::span<std::uint8_t> to) override;
    struct stat status() const override { return invented_status(S_IFIFO | 0600, 1000); }
    std::uint32_t ready() override { return abi::poll_reads; }
    bool can_be_polled() const override { return true; }
    Kind kind() const override { return Kind::input; }
    // It is given once more from its beginning, and the bytes that have been read are read again.
    void serialise(Archive& archive) override;

private:
    int host_;
    std::uint64_t taken_ = 0;  // bytes, and what they were
    Digest digest_;
};

// Streams 1 and 2.
class OutputStream final : public OpenFile {
public:
    using Receiver = std::function<void(int stream, std::string_view text)>;
    OutputStream(int stream, const Receiver& receiver)
        : OpenFile(abi::o_write_only), stream_(stream), receiver_(receiver) {}
    std::size_t write(std::span<const std::uint8_t> from) override;
    struct stat status() const override { return invented_status(S_IFIFO | 0600, 1000 + stream_); }
    std::uint32_t ready() override { return abi::poll_writes; }
    bool can_be_polled() const override { return true; }
    Kind kind() const override { return Kind::output; }
    void serialise(Archive&) override {}
    int stream() const { return stream_; }

private:
    int stream_;
    Receiver receiver_;
};

class RegularFile final : public OpenFile {
public:
    RegularFile(HostDescriptor host, std::uint32_t flags, bool read_only, std::string path)
        : OpenFile(flags, std::move(path)), host_(std::move(host)), read_only_(read_only) {}
    std::size_t read(std::span<std::uint8_t> to) override;
    std::size_t write(std::span<const std::uint8_t> from) override;
    std::size_t read_at(std::span<std::uint8_t> to, std::uint64_t offset) override;
    std::size_t write_at(std::span<const std::uint8_t> from, std::uint64_t offset) override;
    std::int64_t seek(std::int64_t offset, int whence) override;
    void truncate(std::uint64_t size) override;
    void synchronise() override;
    void set_append(bool append) override;
    void set_mode(unsigned mode) override;
    struct stat status() const override;
    bool is_regular() const override { return true; }
    std::uint64_t readable_bytes() override;
    Kind kind() const override { return Kind::regular; }
    // Its place, and its length, which must be what it was.
    void serialise(Archive& archive) override;
    // Of one without a name: all that is in it, for a new one.
    void serialise_contents(Archive& archive);

private:
    HostDescriptor host_;
    bool read_only_;  // where it lies, whatever it was opened for
};

class OpenDirectory final : public OpenFile {
public:
    struct Entry {
        std::string name;
        struct stat status;
        void serialise(Archive& archive);
    };

    OpenDirectory(Sandbox::PlacePointer place, std::uint32_t flags)
        : OpenFile(flags, place->path()), place_(std::move(place)) {}
    std::size_t read(std::span<std::uint8_t>) override { throw Errno{EISDIR}; }
    std::size_t read_at(std::span<std::uint8_t>, std::uint64_t) override { throw Errno{EISDIR}; }
    std::int64_t seek(std::int64_t offset, int whence) override;  // in entries
    void synchronise() override {}
    struct stat status() const override { return status_of(*place_); }
    Kind kind() const override { return Kind::directory; }
    void serialise(Archive& archive) override { archive(entries_, position_); }
    Sandbox::PlacePointer place() const override { return place_; }

    // The entry at the position, or null at the end. Entries come in the order of their names, not in the host's. They
    // are those that were there when the first was read.
    const Entry* next();
    void advance() { ++position_; }
    std::uint64_t position() const { return position_; }

    static struct stat status_of(const Sandbox::Place& place);

private:
    void list();

    Sandbox::PlacePointer place_;
    std::optional<std::vector<Entry>> entries_;
    std::uint64_t position_ = 0;
};

class DeviceFile final : public OpenFile {
public:
    DeviceFile(const Sandbox::Node& node, std::uint32_t flags, std::string path, SplitMix64& random)
        : OpenFile(flags, std::move(path)), node_(node), random_(random) {}
    std::size_t read(std::span<std::uint8_t> to) override;
    std::size_t write(std::span<const std::uint8_t> from) override { return from.size(); }
    std::size_t read_at(std::span<std::uint8_t> to, std::uint64_t) override { return read(to); }
    std::size_t write_at(std::span<const std::uint8_t> from, std::uint64_t) override { return from.size(); }
    std::int64_t seek(std::int64_t, int) override { return 0; }
    void set_mode(unsigned) override { throw Errno{EPERM}; }
    struct stat status() const override { return status_of(node_); }
    Kind kind() const override { return Kind::device; }
    void serialise(Archive&) override {}

    static struct stat status_of(const Sandbox::Node& node) { return invented_status(S_IFCHR | 0666, node.number); }

private:
    const Sandbox::Node& node_;
    SplitMix64& random_;
};
static_assert(is_listed<InputStream, 80> && is_listed<OutputStream, 96> && is_listed<RegularFile, 64> &&
              is_listed<OpenDirectory, 112> && is_listed<DeviceFile, 72>);

}  // namespace croftsim
