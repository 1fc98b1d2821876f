"""Golden results: what the package gave when they were written, through public names only.

``python -m tests.golden`` writes them again, ``python -m tests.golden --exact`` prints what is not
the same to the last bit; both on one machine. The tests compare trees exactly and numbers closely.
"""
