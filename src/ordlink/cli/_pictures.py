"""Pictures of the objects, found in a folder by their file names."""

from __future__ import annotations

from pathlib import Path

from ordlink.cli._console import warn_in_a_line
from ordlink.cli._messages import counted, listed
from ordlink.errors import InputError

EXTENSIONS = (".jpg", ".jpeg", ".png", ".webp")


def picture_files(path: str) -> dict[str, Path]:
    """Return the pictures in a folder by their names without extension."""
    try:
        files = sorted(Path(path).iterdir())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"{path}: expected a folder of pictures ({reason}); check the path"
        ) from error
    return {file.stem: file for file in files if file.suffix.lower() in EXTENSIONS}


def find_pictures(
    path: str, *, n_objects: int, names: tuple[str, ...] | None, one_based: bool
) -> list[Path | None]:
    """Return the picture of each object: the file named after it, or after its number.

    Numbers count as those in the answers do, and only where no file is named after an object.
    Objects without a picture are warned about.
    """
    files = picture_files(path)
    labels = [str(i + one_based) for i in range(n_objects)]
    if names is not None and not files.keys().isdisjoint(names):
        labels = list(names)
    missing = [label for label in labels if label not in files]
    if len(missing) == n_objects:
        example = f"{(names or labels)[0]}.jpg"
        raise InputError(
            f"{path}: no picture in this folder is named after an object; name them like "
            f"{example!r} ({', '.join(EXTENSIONS)})"
        )
    if missing:
        warn_in_a_line(
            f"{counted(len(missing), 'object')} without a picture in {path}: {listed(missing)}"
        )
    return [files.get(label) for label in labels]
