#pragma once
// Command lines: options with a value (`--size 32` or `--size=32`), options without, and one positional argument. An
// exception says in one sentence what is wrong; run_program turns it into exit status 2.

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace programs {

// A mistake that the user can put right: what() is one sentence.
struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class options {
public:
    options(std::string program, std::string purpose) : program_(std::move(program)), purpose_(std::move(purpose)) {}

    void flag(std::string name, bool& target, std::string help) {
        known_.push_back({std::move(name), "", std::move(help), [&target](std::string_view) { target = true; }});
    }
    void text(std::string name, std::string value, std::string& target, std::string help) {
        known_.push_back(
            {std::move(name), std::move(value), std::move(help), [&target](std::string_view text) { target = text; }});
    }
    // A whole number between least and most.
    template <class Number>
    void number(const std::string& name, Number& target, Number least, Number most, std::string help) {
        known_.push_back(
            {name, "N", help + " (" + std::to_string(target) + ")",
             [name, &target, least, most](std::string_view text) { target = whole_number(name, text, least, most); }});
    }
    // One of a few words.
    void choice(const std::string& name, std::string& target, std::vector<std::string> words, const std::string& help) {
        std::string list;
        for (const std::string& word : words) list += (list.empty() ? "" : "|") + word;
        known_.push_back({name, list, help + " (" + target + ")", [name, list, &target, words](std::string_view text) {
                              for (const std::string& word : words)
                                  if (text == word) return void(target = text);
                              throw usage_error(name + " takes " + list + ", not '" + std::string(text) + "'");
                          }});
    }
    void positional(std::string name, std::string& target, std::string help) {
        positional_ = {std::move(name), "", std::move(help), [&target](std::string_view text) { target = text; }};
    }

    // False if the user only wanted help, which was printed. Throws usage_error.
    bool parse(int argc, char** argv) {
        bool positional_seen = false;
        for (int i = 1; i < argc; ++i) {
            const std::string_view word = argv[i];
            if (word == "--help" || word == "-h") return print_help(), false;
            if (word.size() < 2 || word[0] != '-') {
                if (positional_.name.empty() || positional_seen)
                    throw usage_error("there is one argument too many: '" + std::string(word) + "'");
                positional_.set(word);
                positional_seen = true;
                continue;
            }
            const std::size_t equals = word.find('=');
            const option& found = find(word.substr(0, equals));
            if (found.value.empty()) {
                if (equals != word.npos) throw usage_error(found.name + " takes no value");
                found.set("");
            } else if (equals != word.npos) {
                found.set(word.substr(equals + 1));
            } else if (++i < argc) {
                found.set(argv[i]);
            } else {
                throw usage_error(found.name + " needs a value: " + found.value);
            }
        }
        return true;
    }

    template <class Number>
    static Number whole_number(const std::string& name, std::string_view text, Number least, Number most) {
        Number value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
            throw usage_error(name + " takes a whole number from " + std::to_string(least) + " to " +
                              std::to_string(most) + ", not '" + std::string(text) + "'");
        return value;
    }

private:
    struct option {
        std::string name, value, help;
        std::function<void(std::string_view)> set;
    };

    const option& find(std::string_view name) const {
        for (const option& one : known_)
            if (one.name == name) return one;
        throw usage_error("there is no option " + std::string(name) + " (try --help)");
    }
    void print_help() const {
        std::printf("usage: %s [OPTIONS]%s\n%s\n\n", program_.c_str(),
                    positional_.name.empty() ? "" : (" [" + positional_.name + "]").c_str(), purpose_.c_str());
        if (!positional_.name.empty()) print_line(positional_.name, positional_.help);
        for (const option& one : known_) print_line(one.name + (one.value.empty() ? "" : " " + one.value), one.help);
        print_line("--help", "print this");
    }
    static void print_line(const std::string& left, const std::string& help) {
        std::printf("  %-34s %s\n", left.c_str(), help.c_str());
    }

    std::string program_, purpose_;
    std::vector<option> known_;
    option positional_;
};

// Runs `body`, whose result is the exit status: 2, and one sentence on standard error, for whatever it throws.
template <class Body>
int run_program(const char* name, Body body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "%s: there is not enough memory\n", name);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", name, error.what());
    }
    return 2;
}

}  // namespace programs
