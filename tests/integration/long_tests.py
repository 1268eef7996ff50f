"""What `sh tests/run --long` runs beside the rest: each takes a minute or more, and what it asks is
asked in part by a shorter test beside it."""

import os
import unittest

long_test = unittest.skipUnless(os.environ.get("MLPROF_LONG_TESTS"),
                                "takes long; sh tests/run --long runs it")
