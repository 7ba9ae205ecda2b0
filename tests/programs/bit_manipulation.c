/* A digest of the results of each instruction of Zba, Zbb, Zbs and Zfhmin on edge values, one a line. */
#include <stdint.h>
#include <stdio.h>

#define ARCH ".option push\n.option arch, +zba, +zbb, +zbs, +zfhmin\n"
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const uint64_t integers[] = {
    0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x12345678, 0x7fffffff, 0x80000000,
    0xffffffff, 0x100000000, 0xfffffffe00000001, 0x0102040810204080, 0xff00ff00ff00ff00, 0x8000000000000000,
    0x7fffffffffffffff, 0xffffffffffffffff, 0xfffffffffffffffe, 0x00000000deadbeef, 0xdeadbeef00000000};
static const uint64_t halves[] = {0x0000, 0x0001, 0x03ff, 0x0400, 0x3bff, 0x3c00, 0x3c01, 0x7bff,
                                  0x7c00, 0x7c01, 0x7dff, 0x7e00, 0x7fff, 0x8000, 0xbc00, 0xfc00};
static const uint64_t singles[] = {0, 1, 0x33000000, 0x33000001, 0x387fc000, 0x387fe000, 0x387fffff, 0x38800000, 0x3f801000,
                                   0x3f801001, 0x3f803000, 0x477fe000, 0x477fefff, 0x477ff000, 0x47800000, 0x7f800000,
                                   0x7f800001, 0x7fc00000, 0xbf800000, 0xc77ff000, 0x80000000};
static const uint64_t doubles[] = {0, 1, 0x3e60000000000000, 0x3e60000000000001, 0x3f0ffc0000000000, 0x3f0fffffffffffff,
                                   0x3ff0020000000000, 0x3ff0020000000001, 0x3ff0060000000000, 0x40effdffffffffff,
                                   0x40effe0000000000, 0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000,
                                   0xbff0000000000000, 0xc0effe0000000000};
static uint64_t digest;

static void add(uint64_t value) { digest = (digest ^ value) * 0x100000001b3u + (digest >> 29); }
static void tell(const char* name) {
    printf("%s %016llx\n", name, (unsigned long long)digest);
    digest = 0xcbf29ce484222325u;
}

#define TWO(op)                                                                                 \
    for (unsigned i = 0; i < COUNT(integers); ++i)                                              \
        for (unsigned j = 0; j < COUNT(integers); ++j) {                                        \
            uint64_t r;                                                                         \
            asm volatile(ARCH op " %0, %1, %2\n.option pop" : "=r"(r) : "r"(integers[i]), "r"(integers[j])); \
            add(r);                                                                             \
        }                                                                                       \
    tell(op)
#define ONE(op, amount)                                                               \
    for (unsigned i = 0; i < COUNT(integers); ++i) {                                  \
        uint64_t r;                                                                   \
        asm volatile(ARCH op " %0, %1" amount "\n.option pop" : "=r"(r) : "r"(integers[i])); \
        add(r);                                                                       \
    }                                                                                 \
    tell(op amount)
#define BY(op) \
    ONE(op, ", 0");    \
    ONE(op, ", 1");    \
    ONE(op, ", 31")
#define BY_LONG(op) \
    BY(op);         \
    ONE(op, ", 63")
/* The result's pattern and the flags; `mode`: ", rtz" or nothing. Each source boxed and not. */
#define CONVERT(op, mode, values, box)                                                                                \
    for (unsigned i = 0; i < 2 * COUNT(values); ++i) {                                                                \
        uint64_t r, flags, source = values[i / 2] | (i % 2 ? 0 : box);                                                \
        asm volatile("fsflags zero\nfmv.d.x ft0, %2\n" ARCH op " ft1, ft0" mode "\n.option pop\nfmv.x.d %0, ft1\nfrflags %1" \
                     : "=r"(r), "=r"(flags)                                                                           \
                     : "r"(source)                                                                                    \
                     : "ft0", "ft1");                                                                                 \
        add(r);                                                                                                       \
        add(flags);                                                                                                   \
    }                                                                                                                 \
    tell(op mode)
#define NARROW(op, values, box)       \
    CONVERT(op, ", rne", values, box); \
    CONVERT(op, ", rtz", values, box); \
    CONVERT(op, ", rdn", values, box); \
    CONVERT(op, ", rup", values, box); \
    CONVERT(op, ", rmm", values, box)

int main(void) {
    tell("begin");
    TWO("add.uw"); TWO("sh1add"); TWO("sh2add"); TWO("sh3add"); TWO("sh1add.uw"); TWO("sh2add.uw"); TWO("sh3add.uw");
    BY_LONG("slli.uw");
    TWO("andn"); TWO("orn"); TWO("xnor"); TWO("max"); TWO("maxu"); TWO("min"); TWO("minu");
    TWO("rol"); TWO("rolw"); TWO("ror"); TWO("rorw");
    ONE("clz", ""); ONE("ctz", ""); ONE("cpop", ""); ONE("clzw", ""); ONE("ctzw", ""); ONE("cpopw", "");
    ONE("sext.b", ""); ONE("sext.h", ""); ONE("zext.h", ""); ONE("orc.b", ""); ONE("rev8", "");
    BY_LONG("rori"); BY("roriw");
    TWO("bclr"); TWO("bext"); TWO("binv"); TWO("bset");
    BY_LONG("bclri"); BY_LONG("bexti"); BY_LONG("binvi"); BY_LONG("bseti");
    NARROW("fcvt.h.s", singles, 0xffffffff00000000u);
    NARROW("fcvt.h.d", doubles, 0);
    CONVERT("fcvt.s.h", "", halves, 0xffffffffffff0000u);
    CONVERT("fcvt.d.h", "", halves, 0xffffffffffff0000u);
    for (unsigned i = 0; i < COUNT(integers); ++i) {
        uint64_t boxed, moved, there[2] = {integers[i], 0};
        asm volatile(ARCH "fmv.h.x ft0, %2\nfmv.x.d %0, ft0\nfmv.x.h %1, ft0\n.option pop" : "=r"(boxed), "=r"(moved) : "r"(integers[i]) : "ft0");
        add(boxed);
        add(moved);
        asm volatile(ARCH "flh ft0, 1(%1)\nfmv.x.d %0, ft0\nfsh ft0, 9(%1)\n.option pop" : "=r"(boxed) : "r"(there) : "ft0", "memory");
        add(boxed);
        add(there[1]);
    }
    tell("fmv.h.x fmv.x.h flh fsh");
}
