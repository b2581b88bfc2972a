"""Ctrl+C ends long searches; searches do not hold the interpreter lock."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import hexphase

PROGRAM = """
import signal, sys, time
import numpy as np
import hexphase
# Programs in the background ignore SIGINT, and their children, too.
signal.signal(signal.SIGINT, signal.default_int_handler)
points = np.random.default_rng(1).random((400_000, 2)).astype(np.float32)
boxes = np.hstack([points, points + np.float32(0.05)])
small = boxes[:20_000]
many = np.tile(small[:1], (60_000, 1))
searches = {
    "pairs": lambda: hexphase.pairs(boxes),
    "join": lambda: hexphase.join(boxes, boxes),
    "stream": lambda: sum(len(pairs) for pairs in hexphase.pairs(many, stream=True)),
    "nearest": lambda: hexphase.nearest(boxes, points, 2000),
    "wrap": lambda: hexphase.pairs(boxes, wrap=(1, 1)),
}
print("begin", flush=True)
try:
    searches[sys.argv[1]]()
    print("too fast")
except KeyboardInterrupt:
    print(time.time())
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are sent by kill")
@pytest.mark.parametrize("name", ["pairs", "join", "stream", "nearest", "wrap"])
def test_ctrl_c_ends_a_search_within_half_a_second(name):
    program = subprocess.Popen([sys.executable, "-c", PROGRAM, name], stdout=subprocess.PIPE, text=True)
    assert program.stdout.readline() == "begin\n"
    time.sleep(0.8)
    begin = time.time()
    program.send_signal(signal.SIGINT)
    output, _ = program.communicate(timeout=20)
    assert output != "too fast\n"
    assert float(output) - begin < 0.5


def test_a_stream_is_not_cut_by_an_interrupt():
    # The first array takes far longer than the time until the signal.
    boxes = np.tile(np.float32([[0, 0, 1, 1]]), (1_000_000, 1))
    stream = hexphase.pairs(boxes, stream=True, threads=1)

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        with pytest.raises(KeyboardInterrupt):
            next(stream)
    finally:
        signal.signal(signal.SIGALRM, before)
    with pytest.raises(ValueError, match="interrupted"):
        next(stream)


def test_other_threads_run_during_a_search():
    boxes = np.tile(np.float32([[0, 0, 1, 1]]), (8000, 1))
    search = threading.Thread(target=lambda: hexphase.pairs(boxes, threads=1))
    search.start()
    turns, longest, last = 0, 0.0, time.perf_counter()
    while search.is_alive():
        turns += 1
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    assert turns > 100 and longest < 0.3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forked_processes_search():
    boxes = np.float32([[0, 0, 1, 1]] * 100)
    hexphase.pairs(boxes)
    child = os.fork()
    if child == 0:
        os._exit(0 if len(hexphase.pairs(boxes)) == 4950 else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_several_threads_search_at_the_same_time():
    boxes = np.float32([[0, 0, 1, 1]] * 1000)
    found = []
    threads = [threading.Thread(target=lambda: found.append(len(hexphase.pairs(boxes)))) for _ in range(16)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == [499_500] * 16
