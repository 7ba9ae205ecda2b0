"""The papers' numbers, as data frames."""

from importlib.resources import files

import pandas as pd


def published(name: str) -> pd.DataFrame:
    """The table ``published/NAME.csv``; its head says which paper and table it is from."""
    with files("croft").joinpath("published", f"{name}.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file, comment="#")


def is_misprint(name: str, cell: str) -> bool:
    """Whether the rest of the paper's tables contradicts what is printed in this cell of ``published/NAME.csv``."""
    misprints = published("misprints")
    return bool(((misprints["file"] == f"{name}.csv") & (misprints["cell"] == cell)).any())


def claim(what: str) -> str:
    """What ``published/claims.csv`` has beside the statement ``what``."""
    table = published("claims").set_index("what")
    return str(table.loc[what, "value"])
