#pragma once
// A shared object that is unloaded takes away the code that croft's threads run, so they have to end before. A process
// that exits must not wait for them, because one of them may have called exit(). Either calls the handlers that are
// registered for the object, and nothing tells which it is. But exit() also calls handlers that belong to no object,
// latest first. Such a handler, registered behind the object's, comes before that at an exit, and not at all when an
// object is unloaded. It must not be in the object, which may be gone by then. It is the C library's own sem_post(), on
// a semaphore that is never freed.
//
// (A library that the program is linked with may start threads while it is initialised. It then registers its handlers
// before the program has said that all objects end at an exit, and takes that for an unloading. It then ends its idle
// threads, waits for nothing else, and nothing is lost.)
//
// If the compiler says so to the linker (STB_GNU_UNIQUE), statics of inline functions are one for all objects of a
// process. The object that first has them stays for ever. (-fno-gnu-unique keeps the compiler from it.) Another object
// that uses them would go, and its threads would run on in it. So it is told to stay, too.
//
// Executables are not unloaded: nothing of this is in code that cannot be part of a shared object.

#if defined(CROFT_MANY_CORE)  // whose programs load no shared objects
#elif defined(__linux__) && defined(__PIC__) && !defined(__PIE__)
#define CROFT_MAY_BE_UNLOADED

#include <dlfcn.h>
#include <features.h>
#include <semaphore.h>

#include <atomic>

extern "C" int __cxa_atexit(void (*)(void*), void*, void*) noexcept;
extern void* __dso_handle [[gnu::visibility("hidden")]];  // whose address names the object

namespace croft::detail {

class unloading {
public:
    // To be called where threads may be started: `end` is called before this object goes, unless the process exits. If
    // they are started again behind it, in the destructor of a global of the object's, that handler is the next.
    static void calls(void (*end)()) {
        if (is_registered_.load(std::memory_order_relaxed)) [[likely]]
            return;
        if (is_registered_.exchange(true, std::memory_order_relaxed)) return;
        ::__cxa_atexit(&unload, reinterpret_cast<void*>(end), &__dso_handle);
        [[maybe_unused]] static const int behind_it = ::__cxa_atexit(
            reinterpret_cast<void (*)(void*)>(reinterpret_cast<void (*)()>(&::sem_post)), &exits(), nullptr);
    }

private:
    static sem_t& exits() {
        static sem_t* const one = [] {
            auto* const made = new sem_t;
            ::sem_init(made, 0, 0);
            return made;
        }();
        return *one;
    }
    static void unload(void* end) {
        is_registered_.store(false, std::memory_order_relaxed);
        int exiting = 0;
        ::sem_getvalue(&exits(), &exiting);
        if (!exiting) reinterpret_cast<void (*)()>(end)();
    }
    inline static constinit std::atomic<bool> is_registered_ = false;  // relaxed: nothing goes with it
};

// One in each shared object, whatever other statics they have in common.
[[gnu::visibility("hidden")]] inline constinit std::atomic<bool> looked_where_statics_are = false;

// If `statics` are in another object, the one whose code calls this stays.
[[gnu::always_inline]] inline void stay_where_statics_are(const void* statics) {
    if (looked_where_statics_are.load(std::memory_order_relaxed)) [[likely]]
        return;
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)  // since then dlopen() has been part of the C library
    Dl_info theirs, own;
    if (::dladdr(statics, &theirs) != 0 && ::dladdr(&looked_where_statics_are, &own) != 0 &&
        theirs.dli_fbase != own.dli_fbase)
        ::dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
#endif
#endif
    looked_where_statics_are.store(true, std::memory_order_relaxed);
}

}  // namespace croft::detail

#endif
