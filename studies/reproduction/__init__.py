"""The experiments of the paper: `python -m studies.reproduction`."""
