"""Damaged files, for tests that any content is read or refused."""

from __future__ import annotations

import random
from collections.abc import Sequence


def mutate(
    content: bytes, others: Sequence[bytes], pieces: Sequence[bytes], draw: random.Random
) -> bytes:
    """Return the content with a few bytes changed, cut, repeated, or taken from elsewhere."""
    data = bytearray(content)
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        at = draw.randrange(len(data) + 1)
        end = min(len(data), at + draw.choice((1, 4, 40)))
        match draw.randrange(9):
            case 0 if data:  # flip a bit
                data[at % len(data)] ^= 1 << draw.randrange(8)
            case 1 if data:  # any byte
                data[at % len(data)] = draw.randrange(256)
            case 2:  # cut off
                del data[at:]
            case 3:  # cut out
                del data[at:end]
            case 4:  # put in
                data[at:at] = draw.choice(pieces)
            case 5:  # repeat
                data[at:at] = data[at:end] * draw.choice((1, 3))
            case 6 | 7:  # another digit
                digits = [place for place, byte in enumerate(data) if 48 <= byte < 58] or [0]
                place = draw.choice(digits)
                data[place : place + 1] = str(draw.randrange(10)).encode()
            case 8:  # splice
                other = draw.choice(others)
                start = draw.randrange(len(other))
                data[at:end] = other[start : start + draw.choice((1, 10, 200))]
    return bytes(data)
