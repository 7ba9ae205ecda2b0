// Tries to read, or with "write" to write, each file named; prints the first line or the error. Usage: files [write]
// FILE...
#include <cerrno>
#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
    const bool writes = argc > 1 && !std::strcmp(argv[1], "write");
    for (int i = 1 + writes; i < argc; ++i) {
        char line[256] = "";
        if (std::FILE* file = std::fopen(argv[i], writes ? "w" : "r")) {
            if (writes)
                std::fputs("written\n", file);
            else if (!std::fgets(line, sizeof line, file))
                std::strcpy(line, "(empty)");
            std::fclose(file);
            line[std::strcspn(line, "\n")] = 0;
            std::printf("%s: %s\n", argv[i], writes ? "written" : line);
        } else {
            std::printf("%s: %s\n", argv[i], std::strerror(errno));
        }
    }
}
