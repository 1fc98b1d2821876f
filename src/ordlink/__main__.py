"""`python -m ordlink` is `ordlink`."""

from ordlink.cli import main

main()
