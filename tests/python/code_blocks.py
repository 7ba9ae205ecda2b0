"""Finds the C++ code of pages and of headers' comments, and makes translation units of it.

Code is, in a page, what a fence marks as ``cpp``, and an indented block that names ``croft::``; in a header, what
follows an empty comment line and begins four columns further in than the text (``//     croft::run(...)``).

A whole program stands for itself. Anything else becomes the body of a function, behind what ``code_block_contexts.py``
declares for its file. There a line that is complete by its brackets may lack its semicolon: a list of expressions reads
better without.
"""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

COROUTINE = """
struct coroutine {
    struct promise_type {
        coroutine get_return_object();
        std::suspend_never initial_suspend();
        std::suspend_never final_suspend() noexcept;
        void return_void();
        void unhandled_exception();
    };
};
"""
"""What a block is that awaits something: its reader has a type of their own for it."""

NO_CODE = ("entries ", "maker ", "template <>")
"""How diagrams begin that stand in a header where code would; and what cannot be within a function."""


@dataclass(frozen=True)
class Block:
    path: str
    """Relative to the repository."""
    line: int
    """Of the file, from 1, in which it begins."""
    code: str

    @property
    def name(self) -> str:
        return f"{self.path}:{self.line}"

    @property
    def is_program(self) -> bool:
        return "int main(" in self.code

    @property
    def includes(self) -> list[str]:
        return re.findall(r"^#include .*$", self.code, re.MULTILINE)

    @property
    def is_abridged(self) -> bool:
        """Whether something is left out by an ellipsis (that of a pack or of a handler touches a bracket or a word)."""
        return re.search(r"(?<![\w.(])\.\.\.(?![\w.)])", re.sub(r"//.*", "", self.code)) is not None

    @property
    def needs_senders(self) -> bool:
        """Whether it takes a library of senders, which is found or is not: test_senders.py runs it."""
        return any("<stdexec/" in line for line in self.includes)

    @property
    def needs_mpi(self) -> bool:
        return "croft/mpi/" in self.path or "croft::mpi" in self.code

    def in_namespace(self, name: str, context: str) -> str:
        """The block, without its includes, where compilers say of each line where it is in its file."""
        code = re.sub(r"^#include .*$", "", self.code, flags=re.MULTILINE)
        at = f'#line {self.line} "{self.path}"\n'
        if self.is_program:  # whose end need not be returned from
            body = at + code.replace("int main(", "int program(" if self.needs_mpi else "void program(")
            if self.needs_mpi:
                body = "void work(const croft::mpi::processes&);\n" + body
        else:
            awaits = "co_await" in code
            function = f"{COROUTINE}coroutine snippet()" if awaits else "void snippet()"
            body = f'#line 1 "context of {self.path}"\n{context}\n{function} {{\n{at}{completed(code)}\n}}'
        return f"namespace {name} {{\n{body}\n}}\n"


def completed(code: str) -> str:
    """With a semicolon behind each line that lacks it."""
    lines, depth = [], 0
    for line in code.split("\n"):
        text, comment = re.match(r"(.*?)(\s*(?://.*)?)$", line).groups()
        depth += sum(text.count(each) for each in "([{") - sum(text.count(each) for each in ")]}")
        if depth == 0 and text and text[-1] not in ";}:,\\" and not text.startswith("#"):
            text += ";"
        lines.append(text + comment)
    return "\n".join(lines)


def of_page(path: Path) -> list[Block]:
    found, code, start, fence = [], [], 0, None
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate([*lines, ""], 1):
        if fence is not None:
            if line.startswith("```"):
                if fence == "cpp":
                    found.append(Block(str(path.relative_to(ROOT)), start, "\n".join(code)))
                fence, code = None, []
            else:
                code.append(line)
        elif line.startswith("```"):
            fence, code, start = line[3:], [], number + 1
        elif line.startswith("    "):
            if not code:
                start = number
            code.append(line[4:])
        elif code:
            if any("croft::" in each for each in code):
                found.append(Block(str(path.relative_to(ROOT)), start, "\n".join(code)))
            code = []
    return found


def of_header(path: Path) -> list[Block]:
    found, code, start, before = [], [], 0, ""
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        comment = re.match(r"\s*//(.*)$", line)
        text = comment[1] if comment else None
        if text is not None and text.startswith("     ") and (code or (before == "" and text[5] != " ")):
            if not code:
                start = number
            code.append(text[5:])
        elif code:
            if not code[0].startswith(NO_CODE):
                found.append(Block(str(path.relative_to(ROOT)), start, "\n".join(code)))
            code = []
        before = text
    return found


def all_blocks() -> list[Block]:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    headers = [each for root in ("include", "many_core", "host") for each in sorted((ROOT / root).rglob("*.hpp"))]
    return [block for page in pages for block in of_page(page)] + [
        block for header in headers for block in of_header(header)
    ]
