"""The API reference: a page for each header, made of its comments and of what it declares for users.

Headers are read as syntax, without what they include, so no compiler is needed and every host makes the same pages.
"""

import re
from collections.abc import Callable, Iterator

import tree_sitter
import tree_sitter_cpp

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))
CLASSES = {"class_specifier", "struct_specifier", "enum_specifier"}
DECLARED = {*CLASSES, "declaration", "function_definition", "field_declaration", "alias_declaration"}
DECLARED |= {"template_declaration", "concept_definition"}
HIDDEN = {"detail"}  # namespaces

Link = Callable[[str], str | None]
"""From what a comment calls a file to where its page is, if it has one."""


class Header:
    """One header: what it says first, and its page."""

    def __init__(self, source: str) -> None:
        self.source = source.encode()
        # The grammar does not know {} as a default argument; 00 is as long.
        self.root = PARSER.parse(self.source.replace(b"= {}", b"= 00")).root_node

    def text(self, begin: int, end: int) -> str:
        return self.source[begin:end].decode()

    def opening(self) -> str:
        """The comment that the header opens with."""
        lines = self.source.decode().splitlines()[1:]
        ends = (number for number, line in enumerate(lines) if not line.startswith("//"))
        return "\n".join(lines[: next(ends, len(lines))])

    def first_sentence(self) -> str:
        text = " ".join(line.removeprefix("//").strip() for line in self.opening().split("//\n")[0].splitlines())
        return re.split(r"(?<=[a-z0-9)\]])[.:;] ", text + " ")[0].rstrip(". ")

    def page(self, name: str, link: Link) -> str:
        parts = [f"# {name}", f"```cpp\n#include <{name}>\n```", prose(self.opening(), link)]
        for namespace, declarations in self.namespaces(self.root, ""):
            parts += self.described(declarations, f"{namespace}::".removeprefix("croft::"), 2, link)
        return "\n\n".join(part for part in parts if part) + "\n"

    def namespaces(self, node: tree_sitter.Node, outer: str) -> Iterator[tuple[str, list]]:
        for child in node.children:
            if child.type in ("preproc_if", "preproc_ifdef", "preproc_else"):
                yield from self.namespaces(child, outer)
            elif child.type == "namespace_definition" and (named := child.child_by_field_name("name")):
                name = f"{outer}::{named.text.decode()}".removeprefix("::")
                body = child.child_by_field_name("body")
                if not HIDDEN & set(name.split("::")):
                    yield name, self.flat(body)
                    yield from self.namespaces(body, name)

    def flat(self, node: tree_sitter.Node) -> list[tree_sitter.Node]:
        """A node's children, those within conditions of the preprocessor too."""
        found = []
        for child in node.children:
            found += self.flat(child) if child.type.startswith("preproc_") else [child]
        return found

    def described(self, nodes: list, scope: str, level: int, link: Link, shown: bool = True) -> list[str]:
        """Headings, declarations and comments of what lies in a namespace or in a class."""
        parts: list[str] = []
        heading, comment, comment_end = None, [], -1
        for place, node in enumerate(nodes):
            if node.type == "access_specifier":
                shown = node.text == b"public"
            elif node.type == "comment":
                begins = node.start_point[0]
                comment = [*comment, node.text.decode()] if begins == comment_end + 1 else [node.text.decode()]
                comment_end = node.end_point[0]
            elif node.type in DECLARED and shown and (name := name_of(node)) and not is_deleted(node):
                above = comment if comment_end == node.start_point[0] - 1 else []
                behind = [
                    other.text.decode()
                    for other in nodes[place + 1 : place + 3]
                    if other.type == "comment" and other.start_point[0] == node.end_point[0]
                ]
                if name != heading:
                    parts.append(f"{'#' * level} {scope}{escaped(name)}")
                heading = name
                parts.append(f"```cpp\n{self.declaration(node)}\n```")
                parts.append(prose("\n".join(above + behind), link))
                if (inner := class_of(node)) and not self.is_short(inner):
                    body = inner.child_by_field_name("body")
                    members = self.flat(body) if body else []
                    parts += self.described(members, "", level + 1, link, inner.type == "struct_specifier")
        return parts

    def is_short(self, node: tree_sitter.Node) -> bool:
        """Whether a class is best shown whole: an enumeration, or fields alone."""
        body = node.child_by_field_name("body")
        kinds = {child.type for child in self.flat(body)} if body else set()
        return node.type == "enum_specifier" or kinds <= {"{", "}", "comment", "field_declaration"}

    def declaration(self, node: tree_sitter.Node) -> str:
        """The source up to the body."""
        end = node.end_byte
        inner = class_of(node)
        if inner is None or not self.is_short(inner):
            bodies = [each for each in descend(node) if each.type in ("compound_statement", "field_initializer_list")]
            if inner is not None and (body := inner.child_by_field_name("body")):
                bodies.append(body)
            if bodies and not (inner is None and "declaration" in node.type and node.type != "template_declaration"):
                end = min(each.start_byte for each in bodies)
        text = self.text(node.start_byte, end).rstrip()
        indent = node.start_point[1]
        lines = [line[indent:] if line[:indent].isspace() else line for line in text.splitlines()]
        return "\n".join(lines).rstrip().rstrip(";") + ";"


def descend(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The declarations that a template wraps, and their parts."""
    for child in node.children:
        yield child
        if child.type in DECLARED:
            yield from descend(child)


def class_of(node: tree_sitter.Node) -> tree_sitter.Node | None:
    for each in [node, *descend(node)]:
        if each.type in CLASSES and each.child_by_field_name("body"):
            return each
    return None


def name_of(node: tree_sitter.Node) -> str | None:
    """What is declared; nothing for what users do not name: specialisations, deduction guides, friends."""
    while node is not None:
        if node.type in ("identifier", "field_identifier", "type_identifier", "operator_name", "destructor_name"):
            return node.text.decode()
        if node.type == "operator_cast":
            return "conversion"
        if node.type == "template_declaration":
            node = node.named_children[-1]
        elif node.type in {*CLASSES, "alias_declaration", "concept_definition"}:
            node = node.child_by_field_name("name")
        elif (inner := class_of(node)) and node.type == "declaration":
            node = inner
        else:
            declarator = node.child_by_field_name("declarator")
            if declarator is None:
                declarator = next((each for each in node.named_children if "declarator" in each.type), None)
                if declarator is None and node.type.endswith("reference_declarator"):
                    declarator = node.named_children[-1]
            node = declarator
    return None


def names_of(node: tree_sitter.Node) -> list[str]:
    """All that one declaration declares."""
    several = node.children_by_field_name("declarator") if node.type == "declaration" else []
    return [name for each in (several if len(several) > 1 else [node]) if (name := name_of(each))]


def is_deleted(node: tree_sitter.Node) -> bool:
    return any(each.type == "delete_method_clause" for each in descend(node))


def escaped(text: str) -> str:
    return re.sub(r"([\\*_\[\]#`])", r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;"))


def linked(text: str, link: Link) -> str:
    """A sentence of a comment as Markdown: its code as it is, its files as links, no other markup."""
    parts = []
    for piece in re.split(r"(`[^`]*`|\b[\w/]+\.(?:hpp|md)\b)", text):
        page = link(piece) if re.fullmatch(r"[\w/]+\.(?:hpp|md)", piece) else None
        parts.append(f"[`{piece}`]({page})" if page else piece if piece.startswith("`") else escaped(piece))
    return "".join(parts)


def prose(comment: str, link: Link) -> str:
    """A comment as Markdown. What is indented in it is code or a table."""
    blocks: list[tuple[bool, list[str]]] = []
    for line in comment.splitlines():
        text = line.strip().removeprefix("//").removeprefix(" ")
        indented = text.startswith("  ")
        if not text.strip():
            blocks.append((False, []))
        elif blocks and blocks[-1][0] == indented and blocks[-1][1]:
            blocks[-1][1].append(text)
        else:
            blocks.append((indented, [text]))
    parts = []
    for indented, lines in blocks:
        if indented:
            margin = min(len(line) - len(line.lstrip()) for line in lines)
            code = "\n".join(line[margin:] for line in lines)
            parts.append(f"```{'cpp' if margin >= 4 else 'text'}\n{code}\n```")
        elif lines:
            parts.append(linked(" ".join(lines), link))
    return "\n\n".join(parts)
