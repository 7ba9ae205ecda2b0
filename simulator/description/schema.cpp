#include "description/schema.hpp"

#include "description/machine.hpp"
#include "description/placement.hpp"

namespace croftsim {
namespace {

// A visitor (keys.hpp) that writes down what it is told.
class Schema {
public:
    template <class Number>
    void number(const char* name, Number&, const Range& range, const char* meaning) {
        add(Key::Kind::number, name, meaning, range.text(), range.unit, range.least, range.most);
    }
    void optional_number(const char* name, std::uint32_t& value, const Range& range, const char* meaning) {
        number(name, value, range, meaning);
        listed.back().optional = true;
    }
    void number_or_all(const char* name, std::uint32_t& value, const Range& range, const char* meaning) {
        number(name, value, range, meaning);
        listed.back().allowed = or_all(range);
    }
    void real(const char* name, double&, double above, double most, const char* unit, const char* meaning) {
        add(Key::Kind::real, name, meaning, real_text(above, most), unit);
    }
    void label(const char* name, std::string&, const char* meaning) {
        add(Key::Kind::label, name, meaning, label_text);
    }
    template <class Enum>
    void word(const char* name, Enum&, const Words<Enum>& words, const char* meaning) {
        add(Key::Kind::word, name, meaning, text_of(words, "\""));
    }
    template <class Enum>
    void optional_word(const char* name, std::optional<Enum>&, const Words<Enum>& words, const char* meaning) {
        Enum value{};
        word(name, value, words, meaning);
        listed.back().optional = true;
    }
    template <class Enum>
    void defaulted_word(const char* name, Enum& value, const Words<Enum>& words, const char* meaning) {
        word(name, value, words, meaning);
        listed.back().optional = true;
    }
    template <class Values, class Names>
    void numbers(const char* name, Values& values, const Names& names, const Range& range, const char* about) {
        Schema inner;
        for (std::size_t i = 0; i < values.size(); ++i) inner.number(names[i].name, values[i], range, names[i].meaning);
        add(Key::Kind::table, name, about).keys = inner.listed;
    }
    template <class Part>
    void list(const char* name, std::vector<Part>&, const Range& how_many, const char* meaning) {
        add(Key::Kind::list, name, meaning, how_many.counted(), "", how_many.least, how_many.most).keys = of(Part{});
    }
    template <class Part>
    void optional_list(const char* name, std::vector<Part>& parts, const Range& how_many, const char* meaning) {
        list(name, parts, how_many, meaning);
        listed.back().optional = true;
    }
    void places(const char* name, std::vector<Attachment>& places, Placement, const Range& how_many,
                const char* meaning) {
        list(name, places, how_many, meaning);
        listed.back().allowed = placements_or(listed.back().allowed, "\"");
    }
    void optional_places(const char* name, std::vector<Attachment>& places, Placement rule, const Range& how_many,
                         const char* meaning) {
        this->places(name, places, rule, how_many, meaning);
        listed.back().optional = true;
    }
    template <class Part>
    void part(const char* name, Part& part, const char* about) {
        add(Key::Kind::table, name, about).keys = of(part);
    }
    template <class Part>
    void optional_part(const char* name, std::optional<Part>&, const char* about) {
        add(Key::Kind::table, name, about).keys = of(Part{});
        listed.back().optional = true;
    }
    void kinds(std::vector<CoreKind>&, std::uint32_t) {
        CoreKind kind;
        keys(*this, kind);
        for (const NamedNumber& one : kind_names) {
            kind.name = one.name;
            part(one.name, kind, one.meaning);
            listed.back().optional = true;
        }
    }

    std::vector<Key> listed;

private:
    template <class Part>
    static std::vector<Key> of(Part part) {
        Schema inner;
        keys(inner, part);
        return inner.listed;
    }
    Key& add(Key::Kind kind, const char* name, const char* meaning, std::string allowed = "", const char* unit = "",
             std::uint32_t least = 0, std::uint32_t most = 0) {
        return listed.emplace_back(Key{kind, name, meaning, std::move(allowed), unit, false, least, most, {}});
    }
};

}  // namespace

std::vector<Key> schema() {
    Schema schema;
    MachineDescription machine;
    keys(schema, machine);
    return schema.listed;
}

std::vector<std::string> names_of(CoreKind kind) {
    Schema schema;
    keys(schema, kind);
    std::vector<std::string> names;
    for (const Key& key : schema.listed) names.push_back(key.name);
    return names;
}

}  // namespace croftsim
