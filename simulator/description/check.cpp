#include "description/check.hpp"

#include "description/machine.hpp"

namespace croftsim {
namespace {

// A visitor (keys.hpp) that looks at the values as they are in the description.
class Checker {
public:
    explicit Checker(Problems& problems) : problems_(problems) {}

    template <class Number>
    void number(const char* key, const Number& value, const Range& range, const char*) {
        check_number(key, std::int64_t{value}, range, problems_);
    }
    void optional_number(const char* key, std::uint32_t value, const Range& range, const char* meaning) {
        if (value != 0) number(key, value, range, meaning);
    }
    void number_or_all(const char* key, std::uint32_t value, const Range& range, const char* meaning) {
        if (value != 0) number(key, value, range, meaning);
    }
    void real(const char* key, double value, double above, double most, const char*, const char*) {
        if (!(value > above && value <= most))
            problems_.not_allowed(key, std::to_string(value), joined("a ", real_text(above, most)));
    }
    void label(const char* key, const std::string& value, const char*) {
        if (!is_label(value)) problems_.not_allowed(key, joined("'", value, "'"), joined("a ", label_text));
    }
    template <class Enum>
    void word(const char*, Enum, const Words<Enum>&, const char*) {}
    template <class Enum>
    void optional_word(const char*, const std::optional<Enum>&, const Words<Enum>&, const char*) {}
    template <class Enum>
    void defaulted_word(const char*, Enum, const Words<Enum>&, const char*) {}
    template <class Values, class Names>
    void numbers(const char* key, const Values& values, const Names& names, const Range& range, const char*) {
        const Problems::Inside inside(problems_, key);
        for (std::size_t i = 0; i < values.size(); ++i) number(names[i].name, values[i], range, "");
    }
    template <class Part>
    void list(const char* key, std::vector<Part>& parts, const Range& how_many, const char*) {
        if (!how_many.holds(static_cast<std::int64_t>(parts.size())))
            problems_.not_allowed(key, joined("a list of ", parts.size()), joined("a list of ", how_many.counted()));
        const Problems::Inside inside(problems_, key);
        for (std::size_t i = 0; i < parts.size(); ++i) part(joined("[", i, "]").c_str(), parts[i], "");
    }
    template <class Part>
    void optional_list(const char* key, std::vector<Part>& parts, const Range& how_many, const char* meaning) {
        if (!parts.empty()) list(key, parts, how_many, meaning);
    }
    void places(const char* key, std::vector<Attachment>& places, Placement, const Range& how_many,
                const char* meaning) {
        list(key, places, how_many, meaning);
    }
    void optional_places(const char* key, std::vector<Attachment>& places, Placement, const Range& how_many,
                         const char* meaning) {
        optional_list(key, places, how_many, meaning);
    }
    template <class Part>
    void part(const char* key, Part& part, const char*) {
        const Problems::Inside inside(problems_, key);
        whole(part);
    }
    template <class Part>
    void optional_part(const char* key, std::optional<Part>& there, const char* about) {
        if (there) part(key, *there, about);
    }
    void kinds(std::vector<CoreKind>& kinds, std::uint32_t) {
        if (kinds.empty()) problems_.missing("core");
        for (CoreKind& kind : kinds) part(kind.name.c_str(), kind, "");
    }
    template <class Part>
    void whole(Part& part) {
        const std::size_t before = problems_.count();
        keys(*this, part);
        if (problems_.count() == before) check_part(part, problems_);
    }

private:
    Problems& problems_;
};

}  // namespace

void check(const MachineDescription& machine) {
    Problems problems;
    MachineDescription seen = machine;  // visitors may change what they visit
    Checker(problems).whole(seen);
    problems.raise("machine " + machine.name);
}

}  // namespace croftsim
