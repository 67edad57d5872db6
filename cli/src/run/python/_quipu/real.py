"""What Python itself does, before the clock of the world takes its place."""

import _thread
import os
import select
import time

sleep = time.sleep
time_of_day = time.time
monotonic = time.monotonic
allocate_lock = _thread.allocate_lock
start_new_thread = _thread.start_new_thread
get_ident = _thread.get_ident
native_id = getattr(_thread, "get_native_id", lambda: 0)
poll_object = getattr(select, "poll", None)
epoll_object = getattr(select, "epoll", None)
select_now = select.select
fork = getattr(os, "fork", None)
waitpid = getattr(os, "waitpid", None)
