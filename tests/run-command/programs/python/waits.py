"""Waits in every way that Python has, and prints how many seconds of the world each took."""

import asyncio
import concurrent.futures
import datetime
import http.client
import multiprocessing
import os
import pickle
import queue
import sched
import select
import signal
import socket
import subprocess
import sys
import threading
import time

from broker import HEADERS, clock

WAITS = {}


def wait(function):
    WAITS[function.__name__] = function
    return function


@wait
def sleep_90():
    time.sleep(90)


@wait
def event_30():
    assert not threading.Event().wait(30)


@wait
def queue_12():
    try:
        queue.Queue().get(timeout=12)
    except queue.Empty:
        pass


@wait
def simple_queue_3():
    try:
        queue.SimpleQueue().get(timeout=3)
    except queue.Empty:
        pass


@wait
def future_40_pool_100():
    with concurrent.futures.ThreadPoolExecutor() as pool:
        future = pool.submit(time.sleep, 100)
        began = time.time()
        try:
            future.result(timeout=40)
        except concurrent.futures.TimeoutError:
            assert round(time.time() - began, 3) == 40


@wait
def timer_77():
    rings = threading.Event()
    threading.Timer(77, rings.set).start()
    rings.wait()


@wait
def lock_6():
    lock = threading.Lock()
    lock.acquire()
    threading.Timer(6, lock.release).start()
    lock.acquire()


@wait
def lock_loop_2():
    lock = threading.Lock()
    lock.acquire()
    threading.Timer(0.002, lock.release).start()
    while not lock.acquire(False):
        pass


@wait
def condition_7():
    condition = threading.Condition()
    with condition:
        assert not condition.wait_for(lambda: False, 7)


@wait
def barrier_11():
    barrier = threading.Barrier(3)
    for seconds in (5, 11):
        threading.Thread(target=lambda seconds=seconds: (time.sleep(seconds), barrier.wait())).start()
    barrier.wait()


@wait
def join_21():
    thread = threading.Thread(target=time.sleep, args=(21,))
    thread.start()
    thread.join(4)
    assert thread.is_alive()
    thread.join()


@wait
def sched_15():
    scheduler = sched.scheduler()
    scheduler.enter(15, 1, lambda: None)
    scheduler.run()


@wait
def alarm_20():
    class Ring(Exception):
        pass

    def ring(*_):
        raise Ring

    signal.signal(signal.SIGALRM, ring)
    signal.alarm(20)
    try:
        time.sleep(1000)
    except Ring:
        pass


@wait
def alarms_30():
    rings = []
    signal.signal(signal.SIGALRM, lambda *_: rings.append(time.time()))
    began = time.time()
    signal.setitimer(signal.ITIMER_REAL, 5, 10)
    time.sleep(30)
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert [round(at - began, 3) for at in rings] == [5, 15, 25]


@wait
def asyncio_45():
    asyncio.run(asyncio.sleep(45))


@wait
def asyncio_wait_for_33():
    async def run():
        try:
            await asyncio.wait_for(asyncio.Event().wait(), 33)
        except asyncio.TimeoutError:
            pass

    asyncio.run(run())


@wait
def asyncio_executor_11():
    async def run():
        await asyncio.get_running_loop().run_in_executor(None, time.sleep, 11)

    asyncio.run(run())


@wait
def asyncio_child_13():
    async def run():
        child = await asyncio.create_subprocess_exec(sys.executable, "-c", "import time; time.sleep(13)")
        assert await child.wait() == 0

    asyncio.run(run())


@wait
def select_8():
    one, other = socket.socketpair()
    assert select.select([one], [], [], 8) == ([], [], [])


@wait
def poll_9():
    one, other = socket.socketpair()
    poll = select.poll()
    poll.register(one, select.POLLIN)
    assert poll.poll(9000) == []


@wait
def poll_threads_9():
    # A poll object serves one thread at a time, and the look at those that wait is another one.
    def poll_one(milliseconds):
        one, other = socket.socketpair()
        poll = select.poll()
        poll.register(one, select.POLLIN)
        if milliseconds == 9000:
            assert poll.poll(milliseconds) == []
        else:
            threading.Timer(milliseconds / 1000, other.send, (b"x",)).start()
            assert poll.poll(60_000) == [(one.fileno(), select.POLLIN)]

    threads = [threading.Thread(target=poll_one, args=(milliseconds,)) for milliseconds in (3000, 6000, 9000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@wait
def same_instant_5():
    # One wait ends at its time, and another is woken at the same instant.
    for seconds in (2, 3):
        rings = threading.Event()
        threading.Timer(seconds, rings.set).start()
        late = threading.Thread(target=time.sleep, args=(seconds,))
        late.start()
        assert rings.wait(seconds + 1)
        late.join()


@wait
def work_after_close_0():
    # The connection closes, and then the program works: an older report must not count.
    for _ in range(3):
        connection = http.client.HTTPSConnection("paper-api.alpaca.markets", timeout=10)
        connection.request("GET", "/v2/assets?asset_class=crypto", headers={"Connection": "close", **HEADERS})
        assert connection.getresponse().read().startswith(b"[")
        connection.close()
        end = time.process_time() + 0.05
        while time.process_time() < end:
            pass


@wait
def requests_beside_sleeps_10():
    # Responses arrive while other threads sleep, and never count as read before they are.
    def call(wait):
        for _ in range(5):
            assert clock()["timestamp"]
            time.sleep(wait)

    threads = [threading.Thread(target=call, args=(wait,)) for wait in (1, 1.5, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@wait
def busy_loop():
    end = time.time() + 0.05
    while time.time() < end:
        pass


@wait
def child_25():
    subprocess.run([sys.executable, "-c", "import time; time.sleep(25)"], check=True)


@wait
def child_output_12():
    text = "import time; print('a', flush=True); time.sleep(12); print('b')"
    child = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "a\n"
    assert child.communicate()[0] == "b\n"


@wait
def child_timeout_10():
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
    try:
        child.wait(10)
    except subprocess.TimeoutExpired:
        child.kill()
    child.wait()


@wait
def shell_0():
    assert subprocess.check_output(["echo", "here"], text=True) == "here\n"


@wait
def fork_14():
    child = os.fork()
    if child == 0:
        time.sleep(14)
        os._exit(0)
    os.waitpid(child, 0)


@wait
def process_17():
    child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(17,))
    child.start()
    child.join(3)
    assert child.is_alive()
    child.join()


def answer(connection):
    time.sleep(6)
    connection.send("6")


@wait
def process_pipe_6():
    context = multiprocessing.get_context("fork")
    one, other = context.Pipe()
    context.Process(target=answer, args=(other,)).start()
    assert not one.poll(2)
    assert one.recv() == "6"


def worker(asked, answers):
    for number in iter(asked.get, None):
        time.sleep(number)
        answers.put(number * number)


@wait
def process_queue_4():
    context = multiprocessing.get_context("fork")
    asked, answers = context.Queue(), context.Queue()
    workers = [context.Process(target=worker, args=(asked, answers)) for _ in range(2)]
    for one in workers:
        one.start()
    for number in (1, 2, 3):
        asked.put(number)
    assert sorted(answers.get() for _ in range(3)) == [1, 4, 9]
    for one in workers:
        asked.put(None)
    for one in workers:
        one.join()


@wait
def process_pool_8():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(nap, [4, 4, 4], chunksize=1) == [4, 4, 4]


@wait
def spawned_19():
    child = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(19,))
    child.start()
    child.join()


def nap(seconds):
    time.sleep(seconds)
    return seconds


def main():
    clock()
    now = datetime.datetime.now()
    assert type(now) is datetime.datetime and pickle.loads(pickle.dumps(now)) == now
    assert datetime.date.today() == datetime.datetime.today().date() == now.date()
    chosen = sys.argv[1:] or list(WAITS)
    for name in chosen:
        began, monotonic = time.time(), time.monotonic()
        WAITS[name]()
        took = round(time.time() - began, 3)
        assert abs(time.monotonic() - monotonic - took) < 0.001
        print(name, took, flush=True)
        clock()
    print("end", flush=True)


if __name__ == "__main__":
    main()
