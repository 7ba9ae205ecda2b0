#include "debug_info/line_table.hpp"

namespace croftsim::debug_info {

LineTable::LineTable(const Tables& tables, const Unit& unit) : tables_(tables), unit_(unit) {
    if (const Value& folder = unit.top[Attribute::comp_dir]) own_folder_ = text_of(tables, unit, folder);
    const Value& place = unit.top[Attribute::stmt_list];
    if (!place) return;
    Reader from(tables.lines, place.number);
    const UnitLength length(from);
    from = tables.reader(tables.lines.first(from.at() + length.bytes), from.at());
    version_ = static_cast<std::uint16_t>(from.number(2));
    if (version_ < 2 || version_ > 5) throw Damaged{};
    if (version_ == 5) from.skip(2);  // the size of addresses, and of what chooses a segment
    const std::uint64_t header = from.number(length.offset_size);
    program_ = Reader(from).bytes(from.left());
    if (header > program_.size()) throw Damaged{};
    program_ = program_.subspan(header);
    step_ = from.u8();
    if (version_ >= 4) from.skip(1);  // operations in an instruction: RISC-V has one
    from.skip(1);                     // whether rows are statements
    line_base_ = static_cast<std::int8_t>(from.u8());
    line_range_ = from.u8();
    first_special_ = from.u8();
    if (line_range_ == 0 || first_special_ == 0) throw Damaged{};
    operands_ = from.bytes(first_special_ - 1u);
    if (version_ < 5) {
        read_old_lists(from);
    } else {
        folders_ = read_list(from, {version_, length.offset_size});
        files_ = read_list(from, {version_, length.offset_size});
    }
}

void LineTable::read_old_lists(Reader& from) {
    for (std::string_view name = from.text(); !name.empty(); name = from.text()) folders_.push_back({name});
    for (std::string_view name = from.text(); !name.empty(); name = from.text()) {
        files_.push_back({name, from.uleb()});
        from.uleb();  // when it was changed
        from.uleb();  // its bytes
    }
}

std::vector<LineTable::File> LineTable::read_list(Reader& from, const Encoding& encoding) const {
    enum : std::uint64_t { path = 1, folder = 2 };  // DW_LNCT_path, DW_LNCT_directory_index
    struct Field {
        std::uint64_t content;
        Form form;
    };
    std::vector<Field> fields(from.u8());
    for (Field& field : fields) {
        field.content = from.uleb();
        field.form = form_of(from.uleb());
    }
    std::vector<File> list;
    for (std::uint64_t left = from.uleb(); left != 0; --left) {
        const std::uint64_t begin = from.at();
        File file;
        for (const Field& field : fields) {
            const Value value = read_value(from, field.form, encoding);
            if (field.content == folder) file.folder = value.number;
            if (field.content != path) continue;
            const bool is_here = value.form == Form::string;
            file.name = is_here ? Reader(from.table(), value.number).text() : text_of(tables_, unit_, value);
        }
        if (from.at() == begin) throw Damaged{};  // of files without bytes there may be any number
        list.push_back(file);
    }
    return list;
}

const std::string& LineTable::path(std::uint64_t number) {
    const auto known = paths_.find(number);
    if (known != paths_.end()) return known->second;
    const std::string& made = paths_[number] = path_of(number);
    tables_.budget.spend(made.size());
    return made;
}

std::string LineTable::path_of(std::uint64_t number) const {
    const auto in = [](const std::vector<File>& list, std::uint64_t index) {
        if (index >= list.size()) throw Damaged{};
        return list[index];
    };
    // Up to DWARF 4 files are counted from 1 and folder 0 is the unit's own; since DWARF 5 the lists hold both.
    const unsigned first = version_ < 5 ? 1 : 0;
    const File file = in(files_, number - first);
    std::string path(file.name);
    const auto put_before = [&](std::string_view folder) {
        if (!path.starts_with('/') && !folder.empty()) path = std::string(folder) + '/' + path;
    };
    if (path.starts_with('/')) return path;
    if (version_ >= 5 || file.folder != 0) put_before(in(folders_, file.folder - first).name);
    put_before(own_folder_);
    return path;
}

std::vector<LineRow> LineTable::rows() const {
    enum : std::uint8_t { end_sequence = 1, set_address = 2 };  // DW_LNE_...
    enum : std::uint8_t {                                       // DW_LNS_...
        extended = 0,
        copy = 1,
        advance_pc = 2,
        advance_line = 3,
        set_file = 4,
        const_add_pc = 8,
        fixed_advance_pc = 9,
    };
    std::vector<LineRow> rows;
    LineRow row;
    Reader from(program_);
    while (from.left() != 0) {
        const std::uint8_t operation = from.u8();
        if (operation >= first_special_) {
            row.address += std::uint64_t{step_} * ((operation - first_special_) / line_range_);
            row.line += static_cast<std::uint64_t>(line_base_ + (operation - first_special_) % line_range_);
            rows.push_back(row);
            continue;
        }
        switch (operation) {
            case extended: {
                Reader within(from.bytes(from.uleb()));
                const std::uint8_t which = within.u8();
                if (which == set_address) row.address = within.number(within.left());
                if (which == end_sequence) {
                    row.ends_sequence = true;
                    rows.push_back(row);
                    row = {};
                }
                break;
            }
            case copy:
                rows.push_back(row);
                break;
            case advance_pc:
                row.address += from.uleb() * step_;
                break;
            case advance_line:
                row.line += static_cast<std::uint64_t>(from.sleb());
                break;
            case set_file:
                row.file = from.uleb();
                break;
            case const_add_pc:
                row.address += step_ * ((255u - first_special_) / line_range_);
                break;
            case fixed_advance_pc:
                row.address += from.number(2);
                break;
            default:  // about columns or prologues, or newer than this
                for (std::uint8_t left = operands_[operation - 1u]; left != 0; --left) from.uleb();
        }
    }
    return rows;
}

}  // namespace croftsim::debug_info
