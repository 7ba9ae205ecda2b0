// What the programs are made of: pictures, tiles, the filter, options.

#include "../../../programs/common/convolution.hpp"
#include "../../../programs/common/mesh.hpp"
#include "../../../programs/common/netpbm.hpp"
#include "../../../programs/common/options.hpp"
#include "../../../programs/common/placements.hpp"
#include "../../../programs/common/service_time.hpp"
#include "../../../programs/common/summary.hpp"
#include "../../../programs/common/tiling.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace programs;

struct temporary_file {
    std::string name = (std::filesystem::temp_directory_path() / ("croft-test-" + std::to_string(getpid()))).string();
    ~temporary_file() { std::filesystem::remove(name); }

    void write(const std::string& bytes) const { std::ofstream(name, std::ios::binary) << bytes; }
    std::string read() const {
        std::ifstream in(name, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

picture parse(const std::string& bytes) {
    const temporary_file file;
    file.write(bytes);
    return read_netpbm(file.name);
}
// The complaint about a bad picture, without the file's name.
std::string complaint(const std::string& bytes) {
    try {
        parse(bytes);
    } catch (const usage_error& error) {
        const std::string what = error.what();
        return what.substr(what.find(": ") + 2);
    }
    return "";
}

std::string parse_options(std::vector<std::string> words, std::size_t& number, std::string& choice, bool& flag,
                          std::string& file) {
    options line("test", "");
    line.number<std::size_t>("--number", number, 1, 9, "");
    line.choice("--choice", choice, {"a", "b"}, "");
    line.flag("--flag", flag, "");
    line.positional("FILE", file, "");
    std::vector<char*> argv{const_cast<char*>("test")};
    for (std::string& word : words) argv.push_back(word.data());
    try {
        line.parse(static_cast<int>(argv.size()), argv.data());
    } catch (const usage_error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("netpbm: grey and colour, text and binary, one byte and two, comments") {
    for (const char* text : {"P2 3 2 255 1 2 3 4 5 6", "P2\n# made by hand\n3 # wide\n2\n255\n1 2 3\n4 5 6\n"}) {
        const picture read = parse(text);
        CHECK(read.width == 3);
        CHECK(read.height == 2);
        CHECK(read.planes == 1);
        CHECK(read.samples == std::vector<std::uint16_t>{1, 2, 3, 4, 5, 6});
    }
    CHECK(parse(std::string("P5 2 1 255\n\x01\xff", 13)).samples == std::vector<std::uint16_t>{1, 255});
    CHECK(parse(std::string("P5 2 1 999\n\x01\x02\x00\x07", 15)).samples == std::vector<std::uint16_t>{258, 7});
    // Colours come pixel by pixel and are kept plane by plane.
    CHECK(parse("P3 2 1 9 1 2 3 4 5 6").samples == std::vector<std::uint16_t>{1, 4, 2, 5, 3, 6});
    CHECK(parse("P6 2 1 255\n\x01\x02\x03\x04\x05\x06").samples == std::vector<std::uint16_t>{1, 4, 2, 5, 3, 6});
    // A sample that looks like a comment or white space is a sample.
    CHECK(parse("P5 3 1 255\n#\n ").samples == std::vector<std::uint16_t>{'#', '\n', ' '});
}

TEST_CASE("netpbm: what is written is what was read") {
    const temporary_file file;
    for (const std::string& bytes :
         {std::string("P5\n2 2\n255\n\x01\x02\x03\xff"), std::string("P6\n1 1\n200\n\x01\x02\x03"),
          std::string("P5\n1 2\n1000\n\x01\x02\x03\x01")}) {
        write_netpbm(file.name, parse(bytes));
        CHECK(file.read() == bytes);
    }
    CHECK_THROWS_AS(write_netpbm("/no such folder/x.pgm", parse("P2 1 1 1 1")), usage_error);
}

TEST_CASE("netpbm: what is wrong with a picture") {
    CHECK(complaint("") == "this is no PGM or PPM picture (it does not begin with P2, P3, P5 or P6)");
    CHECK(complaint("\x7f"
                    "ELF") == "this is no PGM or PPM picture (it does not begin with P2, P3, P5 or P6)");
    CHECK(complaint("P5") == "the file ends where its width should be");
    CHECK(complaint("P5 3 x") == "its height is not a number");
    CHECK(complaint("P5 -3 3 255 ") == "its width is not a number");
    CHECK(complaint("P5 0 3 255\n") == "its width is not between 1 and 1000000");
    CHECK(complaint("P5 99999999999999999999 3 255\n") == "its width is not between 1 and 1000000");
    CHECK(complaint("P5 3 3 65536\n") == "its greatest value is not between 1 and 65535");
    CHECK(complaint("P6 1000000 1000000 255\n") == "the picture is too large (more than 2^28 samples)");
    CHECK(complaint("P5 2 2 255\nabc") == "the file ends before its last sample");
    CHECK(complaint("P5 1 1 999\nx") == "the file ends before its last sample");
    CHECK(complaint("P2 2 1 5 1") == "the file ends where its next sample should be");
    CHECK(complaint("P2 2 1 5 1 6") == "a sample is 6, above the greatest value 5");
    CHECK_THROWS_AS(read_netpbm("/no such file"), usage_error);
    CHECK_THROWS_AS(read_netpbm("/"), usage_error);
}

TEST_CASE("tiles: every pixel comes back to its place, whatever the size") {
    picture from;
    from.width = 45, from.height = 33, from.planes = 3;
    for (std::size_t i = 0; i < from.width * from.height * 3; ++i)
        from.samples.push_back(static_cast<std::uint16_t>(i * 7 % 256));
    for (const std::size_t size : {1u, 8u, 32u, 64u}) {
        const tiling tiles(from, size);
        picture into = from;
        into.samples.assign(from.samples.size(), 0);
        std::vector<std::int32_t> cells((size + 2) * (size + 2)), inner(size * size);
        for (std::size_t n = 0; n < tiles.count(); ++n) {
            tiles.cut(from, n, cells.data());
            for (std::size_t y = 0; y < size; ++y)
                for (std::size_t x = 0; x < size; ++x) inner[y * size + x] = cells[(y + 1) * (size + 2) + x + 1];
            tiles.paste(into, n, inner.data());
        }
        CHECK(into.samples == from.samples);
    }
}

TEST_CASE("tiles: the margin holds the neighbours, and beyond the border the border") {
    picture from;
    from.width = 3, from.height = 2, from.planes = 1;
    from.samples = {1, 2, 3, 4, 5, 6};
    int cells[16];
    const tiling tiles(from, 2);
    REQUIRE(tiles.count() == 2);
    tiles.cut(from, 0, cells);
    CHECK(std::vector<int>(cells, cells + 16) == std::vector<int>{1, 1, 2, 3, 1, 1, 2, 3, 4, 4, 5, 6, 4, 4, 5, 6});
    tiles.cut(from, 1, cells);
    CHECK(std::vector<int>(cells, cells + 16) == std::vector<int>{2, 3, 3, 3, 2, 3, 3, 3, 5, 6, 6, 6, 5, 6, 6, 6});
}

TEST_CASE("samples are rounded and kept between black and white") {
    CHECK(tiling::sample(-5, 255) == 0);
    CHECK(tiling::sample(300, 255) == 255);
    CHECK(tiling::sample(2.5f, 255) == 3);
    CHECK(tiling::sample(-1e30f, 255) == 0);
    CHECK(tiling::sample(1e30f, 1000) == 1000);
}

TEST_CASE("convolution: each neighbour has its own weight, and the border repeats") {
    const filter<std::int32_t> digits{{1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000}, 0};
    // The element at (1, 1) of a 3 x 3 matrix sees each of the nine once, in reading order.
    const std::int32_t in[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    std::int32_t out[9];
    convolve_alone(digits, in, out, 3);
    CHECK(out[4] == 987654321);
    CHECK(out[0] == 544211211);
}

TEST_CASE("convolution: with and without margin are the same computation") {
    constexpr std::size_t size = 5, stride = size + 2;
    float alone[size * size], padded[stride * stride], a[size * size], b[size * size];
    for (std::size_t i = 0; i < size * size; ++i) alone[i] = static_cast<float>(i * i % 17);
    for (std::size_t y = 0; y < stride; ++y)
        for (std::size_t x = 0; x < stride; ++x)
            padded[y * stride + x] =
                alone[std::clamp<std::size_t>(y, 1, size) * size - size + std::clamp<std::size_t>(x, 1, size) - 1];
    for (const std::string& name : filter_names()) {
        const auto by = make_filter<float>(name);
        convolve_alone(by, alone, a, size);
        convolve_inner(by, padded, b, size);
        CHECK(std::equal(a, a + size * size, b));
    }
}

TEST_CASE("filters: on an even surface, blur, sharpen and emboss change nothing and edges finds none") {
    const std::vector<std::int32_t> even(16, 77);
    std::vector<std::int32_t> out(16);
    for (const std::string& name : filter_names()) {
        convolve_alone(make_filter<std::int32_t>(name), even.data(), out.data(), 4);
        CHECK(out == std::vector<std::int32_t>(16, name == "edges" ? 0 : 77));
    }
}

TEST_CASE("mesh: distances and tiles at a distance") {
    CHECK(hops_between(0, 63, 8) == 14);
    CHECK(hops_between(9, 2, 8) == 2);
    for (int hops = 0; hops <= 14; ++hops) CHECK(hops_between(0, *tile_at(hops, 8), 8) == hops);
    CHECK_FALSE(tile_at(15, 8).has_value());
}

TEST_CASE("service time: measured over whole rounds of the workers, without both ends") {
    // 100 results, 10 of which may be under way, 4 workers: from result 10 on, 76 intervals.
    service_time time(100, 10, 4);
    for (int i = 0; i < 100; ++i) time.result();
    CHECK(time.nanoseconds() > 0);
    service_time nothing(1, 10, 4);
    nothing.result();
    CHECK(nothing.nanoseconds() == 0);
    CHECK(nothing.cycles() == 0);
}

TEST_CASE("service time: a stream that ends when it is stable has 300 results, and is measured if it never is") {
    service_time time(100'000, 10, 4, true);
    std::size_t results = 0;
    while (!time.settled() && results < 100'000) {
        CHECK_FALSE(time.settled());
        time.result();
        ++results;
        if (results < 300) CHECK_FALSE(time.settled());
    }
    CHECK(results >= 300);
    CHECK(time.nanoseconds() > 0);
    service_time short_one(100, 10, 4, true);
    for (int i = 0; i < 100; ++i) short_one.result();
    CHECK_FALSE(short_one.settled());
    CHECK(short_one.nanoseconds() > 0);
}

TEST_CASE("options: values, flags, the argument, and what is wrong with them") {
    std::size_t number = 5;
    std::string choice = "a", file;
    bool flag = false;
    CHECK(parse_options({"--number", "7", "x.pgm", "--choice=b", "--flag"}, number, choice, flag, file) == "");
    CHECK(number == 7);
    CHECK(choice == "b");
    CHECK(flag);
    CHECK(file == "x.pgm");
    const auto wrong = [&](std::vector<std::string> words) { return parse_options(words, number, choice, flag, file); };
    CHECK(wrong({"--nubmer", "7"}) == "there is no option --nubmer (try --help)");
    CHECK(wrong({"--number"}) == "--number needs a value: N");
    for (const char* value : {"0", "10", "x", "7x", "", "-1", "99999999999999999999"})
        CHECK(wrong({"--number", value}) ==
              "--number takes a whole number from 1 to 9, not '" + std::string(value) + "'");
    CHECK(wrong({"--choice", "c"}) == "--choice takes a|b, not 'c'");
    CHECK(wrong({"--flag=yes"}) == "--flag takes no value");
    CHECK(wrong({"a", "b"}) == "there is one argument too many: 'b'");
}

TEST_CASE("placements: pairs for every distance there is, as many as asked or as exist, always the same") {
    std::vector<int> all(64);
    for (int core = 0; core < 64; ++core) all[static_cast<std::size_t>(core)] = core;
    std::vector<std::size_t> found(15);
    for (const placement& one : pairs_of_every_distance(all, 8, 6))
        ++found[static_cast<std::size_t>(hops_between(one.requester, one.home, 8))];
    CHECK(found[0] == 0);
    for (std::size_t hops = 1; hops < 14; ++hops) CHECK(found[hops] == 6);
    CHECK(found[14] == 4);  // the corners
    const auto first = pairs_of_every_distance(all, 8, 1);
    CHECK(first.size() == 14);
    CHECK(first[0].requester == 0);
    CHECK(first[0].home == 1);
    CHECK(pairs_of_every_distance({5}, 8, 3).empty());
    CHECK(pairs_of_every_distance({0, 9}, 8, 3).size() == 2);
}

TEST_CASE("placements: the others by distance, and an even choice") {
    CHECK(others_by_distance({0, 1, 2, 3, 8, 9, 10}, 0, 9, 8) == std::vector<int>{1, 8, 10, 2, 3});
    CHECK(spread(std::vector<int>{1, 2, 3, 4, 5, 6}, 3) == std::vector<int>{1, 3, 5});
    CHECK(spread(std::vector<int>{1, 2}, 3) == std::vector<int>{1, 2});
}

TEST_CASE("summary: mean, least, most") {
    summary numbers;
    for (const int number : {3, -1, 4}) numbers.add(number);
    CHECK(numbers.mean() == 2.0);
    CHECK(numbers.least() == -1.0);
    CHECK(numbers.most() == 4.0);
}
