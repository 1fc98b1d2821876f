"""The bytes of the stimuli: pictures encoded anew, sounds and films read a piece at a time."""

from __future__ import annotations

import io
import mimetypes
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ordlink.collect.stimuli import Stimulus
from ordlink.errors import InputError

LONGEST_SIDE = 1024
"""Pictures are shown at most this large, in pixels."""
MOST_PIXELS = 100_000_000
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
"""What a picture may be, whatever its name says: the decoders of all others are never run."""
PIECE = 256 * 1024
"""Bytes of a file that are held in memory at a time."""
_NAMED = 5


@dataclass(frozen=True)
class Medium:
    """What is sent of a stimulus: a picture in memory, or a file on the disk.

    Attributes
    ----------
    content : bytes or Path
    size : int
        Number of bytes.
    media_type : str
    """

    content: bytes | Path
    size: int
    media_type: str

    def read(self, part: range) -> Iterator[bytes]:
        """Iterate over the bytes of a part, in pieces."""
        if isinstance(self.content, bytes):
            yield self.content[part.start : part.stop]
            return
        with self.content.open("rb") as file:
            file.seek(part.start)
            n_left = len(part)
            while n_left:
                piece = file.read(min(n_left, PIECE))
                if not piece:
                    return
                n_left -= len(piece)
                yield piece


class Media:
    """What is sent of the stimuli, by key; pictures are encoded anew, so nothing else comes along.

    Parameters
    ----------
    stimuli : sequence of Stimulus
    keys : sequence of str
    """

    def __init__(self, stimuli: Sequence[Stimulus], keys: Sequence[str]) -> None:
        self._by_key = dict(zip(keys, stimuli, strict=True))
        self._made: dict[str, Medium] = {}
        self._lock = threading.Lock()

    def __getitem__(self, key: str) -> Medium:
        """Return what is sent; KeyError if no file has this key."""
        stimulus = self._by_key[key]
        if stimulus.path is None:
            raise KeyError(key)
        if stimulus.kind != "picture":
            media_type = mimetypes.guess_type(stimulus.path.name)[0] or "application/octet-stream"
            return Medium(stimulus.path, stimulus.path.stat().st_size, media_type)
        with self._lock:  # a picture is encoded once, however many ask for it at a time
            if key not in self._made:
                content, media_type = encode_picture(stimulus.path)
                self._made[key] = Medium(content, len(content), media_type)
            return self._made[key]


def encode_picture(path: Path, longest_side: int = LONGEST_SIDE) -> tuple[bytes, str]:
    """Return a picture as JPEG, or PNG where it has transparent parts, upright, not too large.

    Raises
    ------
    InputError
        If the file is no picture or too large to be opened safely.
    """
    from PIL import Image, ImageOps

    try:
        with Image.open(path, formats=FORMATS) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                raise InputError(
                    f"{path}: the picture has more than {MOST_PIXELS:,} pixels; make it smaller"
                )
            opened.draft("RGB", (longest_side, longest_side))
            picture = ImageOps.exif_transpose(opened)
            transparent = picture.has_transparency_data
            picture = picture.convert("RGBA" if transparent else "RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: cannot be read as a picture ({error}); save it again") from error
    picture.thumbnail((longest_side, longest_side))
    picture.info.clear()
    file = io.BytesIO()
    if transparent:
        picture.save(file, "PNG")
        return file.getvalue(), "image/png"
    picture.save(file, "JPEG", quality=88)
    return file.getvalue(), "image/jpeg"


def check_readable(stimuli: Sequence[Stimulus]) -> None:
    """Raise InputError if pictures cannot be shown: nobody can compare what they do not see."""
    pictures = [one for one in stimuli if one.kind == "picture"]
    with ThreadPoolExecutor() as several:
        readable = list(several.map(_is_readable, pictures))
    names = [one.name for one, good in zip(pictures, readable, strict=True) if not good]
    if not names:
        return
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    raise InputError(
        f"{len(names)} of {len(pictures)} pictures cannot be read: {', '.join(names[:_NAMED])}"
        f"{more}; save them again as JPEG or PNG, or take them out of the study"
    )


def _is_readable(stimulus: Stimulus) -> bool:
    """Return whether a picture can be decoded to its end; small, since nobody looks at it."""
    if stimulus.path is None:
        return False
    try:
        encode_picture(stimulus.path, longest_side=64)
    except InputError:
        return False
    return True
