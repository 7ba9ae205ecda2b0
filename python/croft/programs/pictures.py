"""Converts pictures between what people have (PNG, JPEG, ...) and what C++ programs read easily (PGM, PPM)."""

import os
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from croft.base.errors import UsageError

StrPath = str | os.PathLike[str]


def convert(source: StrPath, target: StrPath, grey: bool = False) -> Path:
    """Writes the picture ``source`` as ``target``, in the format of the target's suffix; returns ``target``.

    ``.pgm`` files are grey, with 8 bits a pixel; ``grey`` makes every other format so too.
    Raises UsageError, saying what is wrong with which file.
    """
    source, target = Path(source), Path(target)
    try:
        with Image.open(source) as picture:
            mode = "L" if grey or target.suffix == ".pgm" else "RGB"
            converted = picture.convert(mode)
    except UnidentifiedImageError:
        raise UsageError(f"{source}: not a picture in a format that can be read") from None
    except OSError as error:
        raise UsageError(f"{source}: {error.strerror or error}") from None
    try:
        converted.save(target)
    except (OSError, ValueError) as error:
        raise UsageError(f"{target}: cannot be written: {error}") from None
    return target


def photograph() -> Path:
    """A real photograph to try things on: Grace Hopper, in the sample data of matplotlib."""
    import matplotlib

    return Path(matplotlib.get_data_path(), "sample_data", "grace_hopper.jpg")
