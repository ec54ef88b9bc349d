"""The tests of simulation play the hand-written games of the command line and of the API."""

import sys
from pathlib import Path

for folder in ("cli", "game"):
    sys.path.insert(0, str(Path(__file__).parent.parent / folder))
