#pragma once
// How a part of a machine says its keys: once, in keys(in, part). That tells a visitor `in` of each key its name, where
// its value belongs in the description, which values it may have, and what it means. If values must hold together,
// check(part, problems) says how. Three things are made of these: the reader (read.cpp), the check of a description
// made by hand (check.cpp), and the list of all keys (schema.cpp). docs/machine-file.md comes from that list.
//
// A visitor has
//     number(name, value, range, meaning)             optional_number: what it was if there is none
//     number_or_all(name, value, range, meaning)      or "all", which is 0
//     real(name, value, above, most, unit, meaning)   more than `above`
//     label(name, value, meaning)                     what something is called
//     word(name, value, words, meaning)               optional_word: perhaps; defaulted_word: what it was
//     numbers(name, values, names, range, about)      a table of numbers, or one number for all of them
//     list(name, parts, how_many, meaning)            of tables; optional_list: empty if there is none
//     places(name, places, rule, how_many, meaning)   a list of them, or the rule that gives it; optional_places
//     part(name, part, about)                         a table; optional_part: perhaps
//     kinds(kinds, cores)                             kind.hpp says what is special about them

#include <string>
#include <vector>

#include "description/problems.hpp"
#include "description/range.hpp"

namespace croftsim {

struct NamedNumber {
    const char* name;
    const char* meaning;
};

template <class Enum>
struct Word {
    const char* name;
    Enum value;
};
template <class Enum>
using Words = std::vector<Word<Enum>>;

// "'hashed', 'round_robin' or 'fixed'"
template <class Enum>
std::string text_of(const Words<Enum>& words, const char* quote = "'") {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += joined(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", quote, words[i].name, quote);
    return text;
}

// The part that visitors have in common if they check.
inline bool check_number(const std::string& key, std::int64_t value, const Range& range, Problems& problems) {
    const std::size_t before = problems.count();
    if (!range.holds(value))
        problems.not_allowed(key, std::to_string(value), joined("an ", range.text()));
    else if (const std::string violated = range.violated(value); !violated.empty())
        problems.impossible(key, violated);
    return problems.count() == before;
}
inline std::string or_all(const Range& range) { return range.text() + ", or \"all\""; }
std::string real_text(double above, double most);  // "number above 0 to 100,000"
bool is_label(const std::string& text);
inline constexpr const char* label_text = "text of letters, digits, '.', '_' and '-', beginning with a letter or digit";

// Works out what follows from a part's other keys.
template <class Part>
void settle_part(Part& part) {
    if constexpr (requires { settle(part); }) settle(part);
}

template <class Part>
void check_part(const Part& part, Problems& problems) {
    if constexpr (requires { check(part, problems); }) check(part, problems);
}

}  // namespace croftsim
