"""Our own method: recursive spectral splits of Bradley-Terry strengths."""

from ordlink.methods.spectral._spectral import spectral_linkage

__all__ = [
    "spectral_linkage",
]
