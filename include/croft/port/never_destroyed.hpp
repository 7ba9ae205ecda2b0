#pragma once
// An object of the process that is made when it is first asked for, and stays. Its users may run after everything else
// has gone, in a thread that nobody waits for or in a global's destructor. (Its room is static, so that everything it
// holds can be reached, and is no leak.) A function's static: `static never_destroyed<registry> one; return
// one.get();`.

#include <new>
#include <utility>

namespace croft::port {

template <class T>
class never_destroyed {
public:
    template <class... Arguments>
    explicit never_destroyed(Arguments&&... arguments) {
        ::new (room_) T(std::forward<Arguments>(arguments)...);
    }
    never_destroyed(const never_destroyed&) = delete;
    never_destroyed& operator=(const never_destroyed&) = delete;

    T& get() { return *std::launder(reinterpret_cast<T*>(room_)); }

private:
    alignas(T) unsigned char room_[sizeof(T)];
};

}  // namespace croft::port
