"""Waits in C code, which does not follow the clock of the world."""

import ctypes
import time

from broker import clock

clock()
ctypes.CDLL(None).usleep(3_000_000)
time.sleep(60)
