"""Quality against the number of answers: `python -m studies.quality`."""
