// Loads shared objects that use croft, and unloads them: host ACTION OBJECT...

#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <thread>

namespace {

struct object {
    void* handle;
    explicit object(const char* path) : handle(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
        if (!handle) std::printf("%s\n", dlerror());
    }
    template <class Call>
    Call* find(const char* name) const {
        return reinterpret_cast<Call*>(dlsym(handle, name));
    }
    void work() const {
        if (find<long()>("work")() != 1'000'000) std::puts("wrong");
    }
};

bool is_loaded(const char* path) {
    void* const found = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (found) dlclose(found);
    return found;
}
std::ptrdiff_t threads() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}
void a_moment() { std::this_thread::sleep_for(std::chrono::milliseconds(3)); }

// Again and again; with croft::shut_down() before every other time.
void reload(const char* path) {
    int loaded = 0, with_threads = 0;
    for (int round = 0; round < 20; ++round) {
        const object one(path);
        one.work();
        if (round % 2) a_moment();
        if (round % 4 > 1 && !one.find<int()>("end_threads")()) std::puts("threads are left");
        dlclose(one.handle);
        a_moment();
        loaded += is_loaded(path);
        with_threads += threads() != 1;
    }
    std::printf("loaded afterwards: %d of 20; with threads: %d\n", loaded, with_threads);
}
void two(const char* path, const char* other) {
    const object one(path);
    for (int round = 0; round < 10; ++round) {
        const object second(other);
        second.work();
        if (round % 2) a_moment();
        dlclose(second.handle);
        a_moment();
        one.work();
    }
    std::puts("both worked");
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 3) return 2;
    const char *const action = arguments[1], *const path = arguments[2];
    if (std::strcmp(action, "reload") == 0) reload(path);
    if (std::strcmp(action, "two") == 0) two(path, arguments[3]);
    if (std::strcmp(action, "exit") == 0) object(path).find<void()>("exit_in_step")();
}
