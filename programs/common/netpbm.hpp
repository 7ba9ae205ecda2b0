#pragma once
// Portable graymaps and pixmaps: reads P2, P3, P5 and P6 with one or two bytes a sample, writes P5 and P6.
// (netpbm.sourceforge.net/doc/pgm.html and ppm.html.)

#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "options.hpp"

namespace programs {

// Planes one after the other, each row by row; one plane is grey, three are red, green and blue.
struct picture {
    std::size_t width = 0, height = 0, planes = 0;
    std::uint32_t most = 255;  // the value of white
    std::vector<std::uint16_t> samples;

    std::uint16_t* row(std::size_t plane, std::size_t y) { return samples.data() + (plane * height + y) * width; }
    const std::uint16_t* row(std::size_t plane, std::size_t y) const {
        return samples.data() + (plane * height + y) * width;
    }
};

namespace detail {

struct close_file {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using file = std::unique_ptr<std::FILE, close_file>;

inline file open_file(const std::string& name, const char* mode) {
    file opened(std::fopen(name.c_str(), mode));
    if (!opened) throw usage_error(name + ": " + std::strerror(errno));
    return opened;
}

class netpbm_reader {
public:
    explicit netpbm_reader(const std::string& name) : name_(name), file_(open_file(name, "rb")) {}

    picture read() {
        const int p = std::getc(file_.get()), kind = std::getc(file_.get());
        if (std::ferror(file_.get())) bad(std::strerror(errno));
        if (p != 'P' || (kind != '2' && kind != '3' && kind != '5' && kind != '6'))
            bad("this is no PGM or PPM picture (it does not begin with P2, P3, P5 or P6)");
        picture made;
        made.width = header("width", 1, 1'000'000);
        made.height = header("height", 1, 1'000'000);
        made.most = static_cast<std::uint32_t>(header("greatest value", 1, 65535));
        made.planes = kind == '3' || kind == '6' ? 3 : 1;
        const std::size_t samples = made.width * made.height * made.planes;
        if (samples > std::size_t{1} << 28) bad("the picture is too large (more than 2^28 samples)");
        const bool ascii = kind == '2' || kind == '3';
        if (!ascii && !std::isspace(std::getc(file_.get()))) bad("the header does not end with white space");
        made.samples.resize(samples);
        for (std::size_t y = 0; y < made.height; ++y)
            for (std::size_t x = 0; x < made.width; ++x)
                for (std::size_t plane = 0; plane < made.planes; ++plane)
                    made.row(plane, y)[x] = ascii ? ascii_sample(made.most) : raw_sample(made.most);
        return made;
    }

private:
    [[noreturn]] void bad(const std::string& why) const { throw usage_error(name_ + ": " + why); }

    int next_word() {
        int c = std::getc(file_.get());
        for (;;) {
            if (c == '#')
                while (c != '\n' && c != EOF) c = std::getc(file_.get());
            else if (std::isspace(c))
                c = std::getc(file_.get());
            else
                return c;
        }
    }
    // A decimal number, and leaves what follows it unread; nothing below 0 exists in these formats.
    std::size_t number(const char* what) {
        int c = next_word();
        if (c == EOF) bad(std::string("the file ends where its ") + what + " should be");
        if (!std::isdigit(c)) bad(std::string("its ") + what + " is not a number");
        std::size_t value = 0;
        for (; std::isdigit(c); c = std::getc(file_.get())) {
            if (value < 100'000'000) value = value * 10 + static_cast<std::size_t>(c - '0');
        }
        if (c != EOF) std::ungetc(c, file_.get());
        return value;
    }
    std::size_t header(const char* what, std::size_t least, std::size_t most) {
        const std::size_t value = number(what);
        if (value < least || value > most)
            bad(std::string("its ") + what + " is not between " + std::to_string(least) + " and " +
                std::to_string(most));
        return value;
    }
    std::uint16_t ascii_sample(std::uint32_t most) { return checked(number("next sample"), most); }
    std::uint16_t raw_sample(std::uint32_t most) {
        int value = std::getc(file_.get());
        if (most > 255 && value != EOF) {
            const int low = std::getc(file_.get());
            value = low == EOF ? EOF : value << 8 | low;
        }
        if (value == EOF) bad("the file ends before its last sample");
        return checked(static_cast<std::size_t>(value), most);
    }
    std::uint16_t checked(std::size_t value, std::uint32_t most) const {
        if (value > most)
            bad("a sample is " + std::to_string(value) + ", above the greatest value " + std::to_string(most));
        return static_cast<std::uint16_t>(value);
    }

    std::string name_;
    file file_;
};

}  // namespace detail

// Throws usage_error.
inline picture read_netpbm(const std::string& name) { return detail::netpbm_reader(name).read(); }

// Throws usage_error.
inline void write_netpbm(const std::string& name, const picture& shown) {
    std::vector<unsigned char> bytes;
    bytes.reserve(shown.samples.size() * (shown.most > 255 ? 2 : 1));
    for (std::size_t y = 0; y < shown.height; ++y)
        for (std::size_t x = 0; x < shown.width; ++x)
            for (std::size_t plane = 0; plane < shown.planes; ++plane) {
                const std::uint16_t value = shown.row(plane, y)[x];
                if (shown.most > 255) bytes.push_back(static_cast<unsigned char>(value >> 8));
                bytes.push_back(static_cast<unsigned char>(value & 255));
            }
    detail::file file = detail::open_file(name, "wb");
    std::fprintf(file.get(), "P%c\n%zu %zu\n%u\n", shown.planes == 3 ? '6' : '5', shown.width, shown.height,
                 shown.most);
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
    if (!written || std::fclose(file.release()) != 0) throw usage_error(name + ": " + std::strerror(errno));
}

}  // namespace programs
