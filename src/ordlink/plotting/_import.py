"""Import Matplotlib without its complaints that it has no folder of its own to write to.

It makes a temporary one, for its list of fonts. As a user without a home, one warning is enough:
that of compiled code.
"""

import logging

_logger = logging.getLogger("matplotlib")
_level = _logger.level
_logger.setLevel(logging.ERROR)
import matplotlib  # noqa: E402, F401

_logger.setLevel(_level)
