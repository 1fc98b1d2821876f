"""The files of the stimuli, by opaque keys: pictures encoded anew, sounds and films as they are."""

from __future__ import annotations

import hashlib
import hmac
import io
import mimetypes
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from starlette.responses import FileResponse, Response

from ordlink._text import listed
from ordlink.collect.stimuli import Stimulus
from ordlink.errors import InputError

LONGEST_SIDE = 1024  # pictures are shown at most this large, in pixels
MOST_PIXELS = 100_000_000
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
"""What a picture may be, whatever its name says: the decoders of all others are never run."""
_HEADERS = {"cache-control": "private, max-age=86400"}


def stimulus_keys(secret: bytes, n_objects: int) -> tuple[str, ...]:
    """Return a key for each object that reveals neither its name nor its number."""
    return tuple(
        hmac.new(secret, f"stimulus {number}".encode(), hashlib.sha256).hexdigest()[:24]
        for number in range(n_objects)
    )


class Media:
    """Responses with the files of the stimuli, by key."""

    def __init__(self, stimuli: Sequence[Stimulus], keys: Sequence[str]) -> None:
        self._by_key = dict(zip(keys, stimuli, strict=True))
        self._encoded: dict[str, tuple[bytes, str]] = {}
        self._lock = threading.Lock()

    def respond(self, key: str) -> Response:
        """Return the file; KeyError if no file has this key, OSError if it cannot be read."""
        stimulus = self._by_key[key]
        if stimulus.path is None:
            raise KeyError(key)
        if stimulus.kind == "picture":
            with self._lock:  # a picture is encoded once, however many ask for it at a time
                if key not in self._encoded:
                    self._encoded[key] = encode_picture(stimulus.path)
                content, media_type = self._encoded[key]
            return Response(content, media_type=media_type, headers=_HEADERS)
        media_type = mimetypes.guess_type(stimulus.path.name)[0] or "application/octet-stream"
        return FileResponse(
            stimulus.path,
            media_type=media_type,
            headers=_HEADERS,
            stat_result=stimulus.path.stat(),
        )


def encode_picture(path: Path, longest_side: int = LONGEST_SIDE) -> tuple[bytes, str]:
    """Return a picture as JPEG, or PNG where it has transparent parts, upright, not too large.

    Nothing else in the file, such as where it was taken, is kept.
    """
    from PIL import Image, ImageOps

    try:
        with Image.open(path, formats=FORMATS) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                raise InputError(
                    f"the picture has more than {MOST_PIXELS:,} pixels; make it smaller",
                    where=str(path),
                )
            opened.draft("RGB", (longest_side, longest_side))
            picture = ImageOps.exif_transpose(opened)
            transparent = picture.has_transparency_data
            picture = picture.convert("RGBA" if transparent else "RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"cannot be read as a picture ({error}); save it again", where=str(path)
        ) from error
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
    if names:
        raise InputError(
            f"{len(names)} of {len(pictures)} pictures cannot be read: {listed(names)}; save them "
            "again as JPEG or PNG, or remove them from the study"
        )


def _is_readable(stimulus: Stimulus) -> bool:
    """Return whether a picture can be decoded to its end; small, since nobody looks at it."""
    try:
        encode_picture(stimulus.path or Path(), longest_side=64)
    except InputError:
        return False
    return True
