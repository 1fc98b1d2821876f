"""The measured parts of pages in docs/, made from results; not part of the package."""
