"""What MkDocs is told of croft: pages that lie beside the code, the API reference, and links between all of them.

A page's links are written for the repository, so that they lead somewhere there too; here each is turned into one to
the page made of that file. What has no page, a test, say, keeps its name and loses its link.
"""

import os
import posixpath
import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))
from api_reference import Header
from notebook_page import page_of

ROOT = Path(__file__).resolve().parents[2]
RENAMED = {
    "README.md": "index.md",
    "docs/README.md": "contents.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
ROOTS = {"include/croft": "api", "many_core/croft": "api/many_core"}
"""The folders of headers, and of the pages of each."""


def headers() -> list[Path]:
    """All that have a page: those that users may include, and whose bodies are not another's."""
    found = (path.relative_to(ROOT) for root in ROOTS for path in sorted((ROOT / root).rglob("*.hpp")))
    return [path for path in found if "engine" not in path.parts and not path.stem.endswith("_body")]


def root_of(header: str) -> str:
    return next(root for root in ROOTS if header.startswith(root))


def uri_of(path: str) -> str | None:
    """The page, or the picture, that a file of the repository becomes."""
    if (ROOT / path).is_dir():
        path += "/README.md"
    if path in RENAMED:
        return RENAMED[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/").replace(".ipynb", ".md")
    if path.endswith(".hpp") and Path(path) in headers():
        root = root_of(path)
        return f"{ROOTS[root]}{path.removeprefix(root).removesuffix('.hpp')}.md"
    if path.endswith(".md") and path.startswith(("include/", "many_core/", "simulator/")) and (ROOT / path).is_file():
        return f"sources/{path}"
    return None


def relinked(text: str, path: str, uri: str) -> str:
    """The Markdown of a file of the repository with links that lead to pages."""
    here = posixpath.dirname(uri)

    def replaced(found: re.Match[str]) -> str:
        name, target, anchor = found[1], found[2], found[3] or ""
        if re.match(r"[a-z]+:", target) or not target:
            return found[0]
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if not (ROOT / wanted).exists():
            raise PluginError(f"{path} links to {target}, which does not exist")
        page = uri_of(wanted)
        return f"[{name}]({posixpath.relpath(page, here or '.')}{anchor})" if page else name

    pieces = re.split(r"(^```.*?^```)", text, flags=re.MULTILINE | re.DOTALL)
    link = r"\[((?:[^\[\]]|!\[[^\]]*\])+)\]\(([^)\s#]*)(#[^)\s]*)?\)"
    for place in range(0, len(pieces), 2):
        pieces[place] = re.sub(link, replaced, pieces[place])
    return "".join(pieces)


def read(header: Path) -> Header:
    return Header((ROOT / header).read_text(encoding="utf-8"))


def api_page(header: Path) -> str:
    folder = header.parent
    uri = uri_of(str(header))
    # A comment names a file of its folder, in either root, or by its path from further up.
    below = folder.relative_to(root_of(str(header)))
    bases = [base for root in map(Path, ROOTS) for base in (root / below, root, root.parent)]

    def link(name: str) -> str | None:
        for base in [folder, *bases, Path()]:
            path = posixpath.normpath(str(base / name))
            if (ROOT / path).is_file() and (page := uri_of(path)):
                return None if page == uri else posixpath.relpath(page, posixpath.dirname(uri))
        return None

    return read(header).page(str(header.relative_to(header.parts[0])), link)


def api_index() -> str:
    lines = ["# API reference", "Made of the headers' own comments."]
    pages: dict[str, list[tuple[Path, str]]] = {}
    for header in headers():
        page = posixpath.relpath(uri_of(str(header)), "api")
        pages.setdefault(posixpath.dirname(page), []).append((header, page))
    for folder in sorted(pages, key=lambda each: (each.startswith("many_core"), each)):
        lines += [f"## {folder or '.'}", "| header | |\n| --- | --- |"]
        for header, page in pages[folder]:
            says = read(header).first_sentence().replace("|", "\\|").replace("<", "&lt;")
            lines[-1] += f"\n| [`{header.relative_to(header.parts[0])}`]({page}) | {says} |"
    return "\n\n".join(lines) + "\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages of what does not lie in docs/."""
    files.remove(files.get_file_from_path("README.md"))
    folders = (*(Path(root).parts[0] for root in ROOTS), "simulator")
    beside_code = [path.relative_to(ROOT) for folder in folders for path in sorted((ROOT / folder).rglob("*.md"))]
    for path in [*RENAMED, *map(str, beside_code)]:
        text = relinked((ROOT / path).read_text(encoding="utf-8"), path, uri_of(path))
        files.append(File.generated(config, uri_of(path), content=text))
    for notebook in sorted((ROOT / "docs").rglob("*.ipynb")):
        path = str(notebook.relative_to(ROOT))
        files.remove(files.get_file_from_path(path.removeprefix("docs/")))
        text = relinked(page_of(notebook.read_text(encoding="utf-8")), path, uri_of(path))
        files.append(File.generated(config, uri_of(path), content=text))
    files.append(File.generated(config, "api/index.md", content=api_index()))
    for header in headers():
        files.append(File.generated(config, uri_of(str(header)), content=api_page(header)))
    shim = "assets/iframe-worker.js"
    files.append(File.generated(config, shim, abs_src_path=str(Path(__file__).with_name("iframe-worker.js"))))
    config.nav = expanded(config.nav, files, named_in(config.nav))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Relinks the pages of docs/; the others are already."""
    if page.file.generated_by:
        return markdown
    return relinked(markdown, f"docs/{page.file.src_uri}", page.file.src_uri)


def named_in(nav: object) -> set[str]:
    if isinstance(nav, str):
        return {nav}
    return set().union(*map(named_in, nav.values() if isinstance(nav, dict) else nav))


def expanded(nav: object, files: Files, named: set[str]) -> object:
    """The navigation with its entries FOLDER/* replaced by the pages there that no other entry names."""
    if isinstance(nav, dict):
        return {title: expanded(below, files, named) for title, below in nav.items()}
    if isinstance(nav, str):
        return tree(nav.removesuffix("*"), files, named) if nav.endswith("/*") else nav
    entries = []
    for entry in nav:
        below = expanded(entry, files, named)
        entries += below if isinstance(below, list) else [below]
    return entries


def tree(folder: str, files: Files, named: set[str]) -> list:
    """The pages of a folder, those of a folder in it below its name."""
    folder = folder.lstrip("/")
    pages = sorted(file.src_uri for file in files.documentation_pages() if file.src_uri.startswith(folder))
    if not folder:
        pages = [page for page in pages if "/" not in page]
    entries: list = []
    for page in pages:
        parts = os.path.relpath(page, folder or ".").split("/")
        level = entries
        for part in parts[:-1] if folder == "api/" else []:
            if not level or not isinstance(level[-1], dict) or part not in level[-1]:
                level.append({part: []})
            level = level[-1][part]
        if page not in named:
            level.append({parts[-1].removesuffix(".md"): page} if folder == "api/" and parts != ["index.md"] else page)
    return entries
