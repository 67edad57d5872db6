"""`python3 -m quipu` is the command `quipu`."""

import sys

from .command import main

sys.exit(main())
