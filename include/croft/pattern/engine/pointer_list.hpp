#pragma once
// A vector of pointers to parts of one type. To the compiler all such vectors are one. A network's roles have dozens of
// types, and a user's program pays for each: a std::vector of their pointers would be 60 functions each.

#include <cstddef>
#include <vector>

namespace croft::detail {

template <class Part>
class pointer_list {
public:
    class iterator {
    public:
        explicit iterator(void* const* at) : at_(at) {}
        Part* operator*() const { return static_cast<Part*>(*at_); }
        iterator& operator++() {
            ++at_;
            return *this;
        }
        bool operator==(const iterator&) const = default;

    private:
        void* const* at_;
    };

    void push_back(Part* one) { all_.push_back(one); }
    void erase(std::size_t i) { all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(i)); }

    Part* operator[](std::size_t i) const { return static_cast<Part*>(all_[i]); }
    std::size_t size() const { return all_.size(); }
    bool empty() const { return all_.empty(); }
    iterator begin() const { return iterator(all_.data()); }
    iterator end() const { return iterator(all_.data() + all_.size()); }

private:
    std::vector<void*> all_;
};

}  // namespace croft::detail
