#pragma once
// Bodies that are no templates. They are inline in the headers, unless the program defines CROFT_COMPILED. Then headers
// only declare them, and croft::croft_compiled, which is to be linked, has them once (src/croft.cpp). All files of a
// program have to agree.
//
// CROFT_OUT_OF_LINE is for members of templates that the library has for the usual arguments: compilers may still copy
// them into their callers.

#if defined(CROFT_COMPILED)
#define CROFT_INLINE
#define CROFT_OUT_OF_LINE [[gnu::noinline]]
#else
#define CROFT_INLINE inline
#define CROFT_OUT_OF_LINE
#endif
