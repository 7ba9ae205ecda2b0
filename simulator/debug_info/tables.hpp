#pragma once
// The tables of a program's debug information that are read. DWARF 5, chapter 7.

#include "debug_info/sections.hpp"

namespace croftsim::debug_info {

struct Tables {
    Tables(const Sections& sections, Budget& all)
        : information(sections.find(".debug_info").bytes),
          abbreviations(sections.find(".debug_abbrev").bytes),
          lines(sections.find(".debug_line").bytes),
          texts(sections.find(".debug_str").bytes),
          line_texts(sections.find(".debug_line_str").bytes),
          text_offsets(sections.find(".debug_str_offsets").bytes),
          addresses(sections.find(".debug_addr").bytes),
          ranges(sections.find(".debug_ranges").bytes),
          range_lists(sections.find(".debug_rnglists").bytes),
          budget(all) {}

    Reader reader(Bytes table, std::uint64_t at) const { return Reader(table, at, &budget); }

    Bytes information, abbreviations, lines, texts, line_texts, text_offsets, addresses;
    Bytes ranges;       // up to DWARF 4
    Bytes range_lists;  // since DWARF 5
    Budget& budget;
};

}  // namespace croftsim::debug_info
