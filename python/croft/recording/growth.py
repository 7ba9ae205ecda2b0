"""Statistics over time: what each grew by in the intervals of a run, or in the occurrences of its regions."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def grown(
    rows: list[tuple[str, int, str, str, int]], occurrences: list[tuple[int, int, int, list[int]]]
) -> "pd.DataFrame":
    """One row for each statistic that grew in an occurrence: (begin, end, place, what each row grew by)."""
    import numpy as np
    import pandas as pd

    names = pd.DataFrame(rows, columns=["part", "index", "name", "unit", "value"]).drop(columns="value")
    values = np.array([grew for *_, grew in occurrences], dtype=np.int64).reshape(len(occurrences), len(names))
    which, row = np.nonzero(values)
    frame = names.iloc[row].reset_index(drop=True).astype({"index": "int64"})
    frame["value"] = values[which, row]
    frame.insert(0, "end", np.array([end for _, end, *_ in occurrences], dtype=np.uint64)[which])
    frame.insert(0, "begin", np.array([begin for begin, *_ in occurrences], dtype=np.uint64)[which])
    frame.insert(0, "occurrence", which)
    return frame
