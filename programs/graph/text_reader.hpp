#pragma once
// A text file as words and lines. An error is one sentence that names the file and the line.

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "../common/options.hpp"

namespace programs::graph {

class text_reader {
public:
    text_reader(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)), rest_(text_) {}
    text_reader(const text_reader&) = delete;
    text_reader& operator=(const text_reader&) = delete;

    [[noreturn]] void bad(const std::string& why) const {
        throw usage_error(name_ + ": line " + std::to_string(line_) + ": " + why);
    }

    // ---- words, however they lie on lines ----

    bool at_end() {
        skip_blanks(true);
        return rest_.empty();
    }
    std::string_view word(const std::string& what) {
        if (at_end()) bad("the file ends where " + what + " should be");
        return take_word();
    }
    // A whole number from least to most.
    std::int64_t number(const std::string& what, std::int64_t least, std::int64_t most) {
        return checked(word(what), what, least, most);
    }

    // ---- lines ----

    // Goes to the next line that is not empty and does not begin with `comment`; false at the end.
    bool next_line(char comment) {
        for (;;) {
            if (at_end()) return false;
            if (rest_.front() != comment) return true;
            skip_line();
        }
    }
    std::string_view word_of_line(const std::string& what) {
        skip_blanks(false);
        if (rest_.empty() || rest_.front() == '\n') bad("the line ends where " + what + " should be");
        return take_word();
    }
    std::int64_t number_of_line(const std::string& what, std::int64_t least, std::int64_t most) {
        return checked(word_of_line(what), what, least, most);
    }
    void end_of_line(const std::string& what) {
        skip_blanks(false);
        if (!rest_.empty() && rest_.front() != '\n') bad("there is more on the line than " + what);
    }

private:
    static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

    void skip_blanks(bool lines_too) {
        while (!rest_.empty() && (is_blank(rest_.front()) || (lines_too && rest_.front() == '\n'))) step();
    }
    void skip_line() {
        while (!rest_.empty() && rest_.front() != '\n') step();
    }
    void step() {
        line_ += rest_.front() == '\n';
        rest_.remove_prefix(1);
    }
    std::string_view take_word() {
        std::size_t end = 0;
        while (end < rest_.size() && !is_blank(rest_[end]) && rest_[end] != '\n') ++end;
        const std::string_view taken = rest_.substr(0, end);
        rest_.remove_prefix(end);
        return taken;
    }
    std::int64_t checked(std::string_view word, const std::string& what, std::int64_t least, std::int64_t most) const {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc{} || end != word.data() + word.size() || value < least || value > most)
            bad(what + " is a whole number from " + std::to_string(least) + " to " + std::to_string(most) + ", not '" +
                std::string(word.substr(0, 40)) + "'");
        return value;
    }

    std::string name_, text_;
    std::string_view rest_;
    std::size_t line_ = 1;
};

}  // namespace programs::graph
