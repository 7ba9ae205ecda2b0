#pragma once
// Bodies that are no templates. They are inline in the headers, unless the program defines CROFT_COMPILED. Then headers
// only declare them, and croft::croft_compiled, which is to be linked, has them once (src/croft.cpp). All files of a
// program have to agree.
//
// The same goes for members of templates that the library has for the usual arguments. If such a member were inline,
// compilers would compile it in the program all the same, to copy it into callers. Every member that is defined in its
// class is inline.

#if defined(CROFT_COMPILED)
#define CROFT_INLINE
#else
#define CROFT_INLINE inline
#endif
