#pragma once
// The mistakes in a machine, a sentence for each.

#include <string>
#include <utility>
#include <vector>

#include "description/joined.hpp"

namespace croftsim {

struct Problem {
    std::string key;       // "memory.controllers[0].column"
    std::string sentence;  // names the key
};

class Problems {
public:
    // While it lives, keys are those of that part: "l1d" or "[0]".
    class Inside {
    public:
        Inside(Problems& problems, const std::string& part);
        ~Inside() { problems_.part_.resize(outside_); }
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;

    private:
        Problems& problems_;
        std::size_t outside_;
    };

    void missing(const std::string& key);
    void unknown(const std::string& key, const std::vector<std::string>& known);
    void not_allowed(const std::string& key, const std::string& value, const std::string& allowed);
    // What the sentence, in pieces, says of the key is so, and makes the machine impossible.
    template <class... Pieces>
    void impossible(const std::string& key, const Pieces&... sentence) {
        add(key, joined("`", full(key), "` ", sentence...));
    }

    const std::vector<Problem>& all() const { return all_; }
    std::size_t count() const { return all_.size(); }
    // Throws std::invalid_argument if there are any: a line each, which begins with `about`.
    void raise(const std::string& about) const;

private:
    std::string full(const std::string& key) const;
    void add(const std::string& key, std::string sentence) { all_.push_back({full(key), std::move(sentence)}); }

    std::vector<Problem> all_;
    std::string part_;
};

}  // namespace croftsim
