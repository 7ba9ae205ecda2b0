#include "description/read.hpp"

#include <algorithm>

#include "description/machine.hpp"
#include "description/placement.hpp"
#include "description/schema.hpp"

namespace croftsim {
namespace {

// A visitor (keys.hpp) that takes the values from one table of the file.
class Reader {
public:
    Reader(const Table& from, Table& taken, Problems& problems) : from_(from), taken_(taken), problems_(problems) {}

    template <class Number>
    void number(const char* key, Number& value, const Range& range, const char*) {
        if (const Value* said = needed(key)) take(key, *said, value, range);
    }
    void optional_number(const char* key, std::uint32_t& value, const Range& range, const char*) {
        if (const Value* said = asked(key)) take(key, *said, value, range);
    }
    void number_or_all(const char* key, std::uint32_t& value, const Range& range, const char*) {
        const Value* said = needed(key);
        if (!said) return;
        const auto* text = std::get_if<std::string>(&said->is);
        if (text && *text != "all") return problems_.not_allowed(key, said->text(), joined("an ", or_all(range)));
        if (!text) return take(key, *said, value, range);
        value = 0;
        taken_.add(key, *said);
    }
    void real(const char* key, double& value, double above, double most, const char*, const char*) {
        const Value* said = needed(key);
        if (!said) return;
        const auto* whole = std::get_if<std::int64_t>(&said->is);
        const auto* number = std::get_if<double>(&said->is);
        if (whole || number) value = whole ? static_cast<double>(*whole) : *number;
        if ((!whole && !number) || !(value > above && value <= most))
            return problems_.not_allowed(key, said->text(), joined("a ", real_text(above, most)));
        taken_.add(key, {value});
    }
    void label(const char* key, std::string& value, const char*) {
        const Value* said = needed(key);
        if (!said) return;
        const auto* text = std::get_if<std::string>(&said->is);
        if (!text || !is_label(*text)) return problems_.not_allowed(key, said->text(), joined("a ", label_text));
        value = *text;
        taken_.add(key, *said);
    }
    template <class Enum>
    void word(const char* key, Enum& value, const Words<Enum>& words, const char*) {
        if (const Value* said = needed(key)) take(key, *said, value, words);
    }
    template <class Enum>
    void optional_word(const char* key, std::optional<Enum>& value, const Words<Enum>& words, const char*) {
        if (const Value* said = asked(key)) take(key, *said, value.emplace(), words);
    }
    template <class Enum>
    void defaulted_word(const char* key, Enum& value, const Words<Enum>& words, const char*) {
        if (const Value* said = asked(key)) take(key, *said, value, words);
    }
    template <class Values, class Names>
    void numbers(const char* key, Values& values, const Names& names, const Range& range, const char*) {
        const Value* said = needed(key);
        if (!said) return;
        const bool one = std::holds_alternative<std::int64_t>(said->is);
        if (one && !check_number(key, std::get<std::int64_t>(said->is), range, problems_)) return;
        Value all{Table{}};
        for (std::size_t i = 0; one && i < values.size(); ++i) std::get<Table>(all.is).add(names[i].name, *said);
        table(key, one ? all : *said, [&](Reader& in) {
            for (std::size_t i = 0; i < values.size(); ++i) in.number(names[i].name, values[i], range, "");
        });
    }
    template <class Part>
    void list(const char* key, std::vector<Part>& parts, const Range& how_many, const char*) {
        const Value* said = needed(key);
        if (!said) return;
        const auto* list = std::get_if<List>(&said->is);
        if (!list || !how_many.holds(static_cast<std::int64_t>(list->size())))
            return problems_.not_allowed(key, said->text(), joined("a list of ", how_many.counted()));
        Table taken;
        {
            const Problems::Inside inside(problems_, key);
            Reader entries(from_, taken, problems_);
            for (const Value& one : *list)
                entries.table(joined("[", parts.size(), "]"), one, [&](Reader& in) { in.whole(parts.emplace_back()); });
        }
        List values;
        for (auto& [number, value] : taken.entries) values.push_back(std::move(value));
        taken_.add(key, {std::move(values)});
    }
    template <class Part>
    void optional_list(const char* key, std::vector<Part>& parts, const Range& how_many, const char* meaning) {
        if (asked(key)) list(key, parts, how_many, meaning);
    }
    void optional_places(const char* key, std::vector<Attachment>& places, Placement& rule, const Range& how_many,
                         const char* meaning) {
        if (asked(key)) this->places(key, places, rule, how_many, meaning);
    }
    void places(const char* key, std::vector<Attachment>& places, Placement& rule, const Range& how_many,
                const char* meaning) {
        const Value* said = from_.find(key);
        const auto* text = said ? std::get_if<std::string>(&said->is) : nullptr;
        if (!text) return list(key, places, how_many, meaning);
        names_.push_back(key);
        for (const Word<Placement>& word : placements()) {
            if (*text != word.name) continue;
            rule = word.value;
            return taken_.add(key, *said);
        }
        problems_.not_allowed(key, said->text(), placements_or(joined("a list of ", how_many.counted())));
    }
    template <class Part>
    void part(const char* key, Part& part, const char*) {
        if (const Value* said = needed(key)) table(key, *said, [&](Reader& in) { in.whole(part); });
    }
    template <class Part>
    void optional_part(const char* key, std::optional<Part>& part, const char*) {
        if (const Value* said = asked(key)) table(key, *said, [&](Reader& in) { in.whole(part.emplace()); });
    }
    void kinds(std::vector<CoreKind>& kinds, std::uint32_t cores) {
        std::string named;  // "`big` and `tiny`"
        for (const NamedNumber& one : kind_names)
            if (from_.find(one.name)) named += joined(named.empty() ? "`" : " and `", one.name, "`");
        CoreKind alone;
        const std::vector<std::string> at_top = names_of(alone);
        if (named.empty() && !from_.find("core") && !from_.find("l1d")) {
            problems_.impossible("core", "is missing, and `big` and `tiny` too: a machine has cores");
            names_.insert(names_.end(), at_top.begin(), at_top.end());
        } else if (named.empty()) {
            alone.count = cores;
            whole(alone);
            kinds.push_back(alone);
        } else {
            for (const std::string& key : at_top)
                if (asked(key)) problems_.impossible(key, "has no meaning beside ", named, ", where cores are said");
        }
        for (const NamedNumber& one : kind_names) {
            const Value* said = asked(one.name);
            if (!said) continue;
            CoreKind& kind = kinds.emplace_back();
            kind.name = one.name;
            table(one.name, *said, [&](Reader& in) { in.whole(kind); });
        }
    }

    // The keys of the part, and then what they must hold together.
    template <class Part>
    void whole(Part& part) {
        const std::size_t before = problems_.count();
        keys(*this, part);
        if (problems_.count() != before) return;
        settle_part(part);
        check_part(part, problems_);
    }
    void refuse_others() {
        for (const auto& [key, value] : from_.entries)
            if (std::find(names_.begin(), names_.end(), key) == names_.end()) problems_.unknown(key, names_);
    }

private:
    const Value* asked(const std::string& key) {
        names_.push_back(key);
        const Value* said = from_.find(key);
        if (!said) taken_.add(key, {});
        return said;
    }
    const Value* needed(const std::string& key) {
        const Value* said = asked(key);
        if (!said) problems_.missing(key);
        return said;
    }
    template <class Number>
    void take(const char* key, const Value& said, Number& value, const Range& range) {
        const auto* number = std::get_if<std::int64_t>(&said.is);
        if (!number) return problems_.not_allowed(key, said.text(), joined("an ", range.text()));
        if (!check_number(key, *number, range, problems_)) return;
        value = static_cast<Number>(*number);
        taken_.add(key, said);
    }
    template <class Enum>
    void take(const char* key, const Value& said, Enum& value, const Words<Enum>& words) {
        const auto* text = std::get_if<std::string>(&said.is);
        for (const Word<Enum>& word : words) {
            if (!text || *text != word.name) continue;
            value = word.value;
            return taken_.add(key, said);
        }
        problems_.not_allowed(key, said.text(), text_of(words));
    }
    template <class Fill>
    void table(const std::string& key, const Value& said, const Fill& fill) {
        const auto* inner = std::get_if<Table>(&said.is);
        if (!inner) return problems_.not_allowed(key, said.text(), "a table");
        const Problems::Inside inside(problems_, key);
        Table taken;
        Reader in(*inner, taken, problems_);
        fill(in);
        in.refuse_others();
        taken_.add(key, {std::move(taken)});
    }

    const Table& from_;
    Table& taken_;
    Problems& problems_;
    std::vector<std::string> names_;  // of keys that there may be
};

}  // namespace

Reading read(const Table& file) {
    Reading reading;
    Reader in(file, reading.values, reading.problems);
    in.whole(reading.machine);
    in.refuse_others();
    return reading;
}

}  // namespace croftsim
