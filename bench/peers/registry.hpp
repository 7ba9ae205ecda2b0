#pragma once
// Which libraries are there is known where the programs are put together (CMakeLists.txt). Each has a file, which lists
// itself here before main() begins. The file is compiled only if its library was found.

#include <vector>

namespace bench {

template <class Entry>
std::vector<Entry>& registry() {
    static std::vector<Entry> all;
    return all;
}
template <class Entry>
struct listed {
    explicit listed(Entry entry) { registry<Entry>().push_back(entry); }
};

}  // namespace bench
