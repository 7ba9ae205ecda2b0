#pragma once
// A file descriptor of the host that is closed when nobody needs it any more.

#include <unistd.h>

#include <utility>

namespace croftsim {

class HostDescriptor {
public:
    explicit HostDescriptor(int number = -1) : number_(number) {}
    HostDescriptor(HostDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    HostDescriptor& operator=(HostDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~HostDescriptor() {
        if (number_ >= 0) ::close(number_);
    }

    int get() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }

private:
    int number_;
};

}  // namespace croftsim
