"""How well support, `auto` and the hierarchy test are calibrated."""
