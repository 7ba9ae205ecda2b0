#pragma once
// The two forms of the log pipeline share this: a line of a web server's log, and the work on it.
//
//     2031-05-04T10:11:12 INFO 10.3.200.1 alice GET /farm 200 1532

#include <array>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace logs {

struct numbered_line {
    long number = 0;
    std::string text;
};

struct record {
    std::string_view time, level, address, user, method, path;
    int status = 0;
    long bytes = 0;
};

[[noreturn]] inline void refuse(const numbered_line& line, const char* what) {
    throw std::runtime_error("line " + std::to_string(line.number) + ": " + what + " in \"" + line.text + '"');
}

// Throws std::runtime_error, which names the line.
inline record parse(const numbered_line& line) {
    std::array<std::string_view, 8> fields;
    std::string_view rest = line.text;
    for (std::string_view& field : fields) {
        if (rest.empty()) refuse(line, "there are fewer than eight fields");
        field = rest.substr(0, rest.find(' '));
        rest.remove_prefix(field.size() == rest.size() ? field.size() : field.size() + 1);
    }
    const auto number = [&](std::string_view field, auto& into) {
        const auto [end, error] = std::from_chars(field.begin(), field.end(), into);
        if (error != std::errc() || end != field.end()) refuse(line, "there is no number where one should be");
    };
    record made{fields[0], fields[1], fields[2], fields[3], fields[4], fields[5]};
    number(fields[6], made.status);
    number(fields[7], made.bytes);
    return made;
}

// A name that tells one user from another and not who it is: a hash, made slow so that names are not simply tried.
inline std::uint64_t pseudonym(std::string_view user) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (int round = 0; round < 256; ++round)
        for (const char letter : user) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
    return hash;
}

inline std::string enrich(const record& of) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string made;
    made.reserve(128);
    made.append(of.time).append(" ").append(of.level).append(of.address.starts_with("10.") ? " inside " : " outside ");
    for (std::uint64_t name = pseudonym(of.user), i = 0; i < 16; ++i) made += digits[name >> 4 * i & 15];
    made.append(" ").append(of.method).append(" ").append(of.path);
    made.append(of.status < 400 ? " ok " : " failed ").append(std::to_string(of.bytes));
    return made;
}

}  // namespace logs
