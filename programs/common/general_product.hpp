#pragma once
// c = alpha A x + beta y (paper 000, 7.2), some rows at a time: a Product for map_of_products.hpp.

#include <cstddef>
#include <vector>

#include <croft/pattern/map.hpp>

#include "map_of_products.hpp"

namespace programs {

template <class Element>
class general_product {
public:
    explicit general_product(std::size_t size)
        : x_(small_numbers<Element>(size, 3)), y_(small_numbers<Element>(size, 5)) {}

    void rows(const Element* matrix, Element* entries, croft::slice which, accumulation how) const {
        for (std::size_t i = which.begin; i < which.end; ++i) {
            Element& entry = entries[i - which.begin];
            row_product(entry, matrix + i * x_.size(), x_.data(), x_.size(), how);
            entry = alpha_ * entry + beta_ * y_[i];
        }
    }

private:
    Element alpha_ = 3, beta_ = 2;
    std::vector<Element> x_, y_;
};

}  // namespace programs
