"""The measured parts of pages in docs/, made anew from results; not part of the package."""
