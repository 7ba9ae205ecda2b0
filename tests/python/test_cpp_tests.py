"""The C++ tests: which of their files need fibers, which some hosts have not (`make test-aarch64` leaves them out)."""

import re
from pathlib import Path

LIBRARY = sorted(Path(__file__).resolve().parents[1].glob("cpp/library*/*_test.cpp"))
OF_FIBERS = r'#include "(explor\w+|fiber)\.hpp"'


def test_a_file_that_explores_is_named_so():
    need = {path.name for path in LIBRARY if re.search(OF_FIBERS, path.read_text(encoding="utf-8"))}
    assert need
    assert need <= {path.name for path in LIBRARY if re.search("explore|task_interrupted", path.name)}
