"""A notebook as a page: its cells, and what they have printed."""

import json
from typing import Any


def page_of(notebook: str) -> str:
    """The Markdown for the text of an .ipynb."""
    parts: list[str] = []
    for cell in json.loads(notebook)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        language = "cpp" if source.startswith("%%writefile") and ".cpp" in source.split("\n")[0] else "python"
        parts.append(_fenced(language, source))
        parts += [_output(output) for output in cell["outputs"]]
    return "\n\n".join(part for part in parts if part) + "\n"


def _output(output: dict[str, Any]) -> str:
    """As rich as it is."""
    data = output.get("data", {})
    if "text/html" in data:
        return f'<div class="output">\n{"".join(data["text/html"])}\n</div>'
    text = "".join(data.get("text/plain", output.get("text", "")))
    return _fenced("text", text.rstrip("\n")) if text else ""


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"
