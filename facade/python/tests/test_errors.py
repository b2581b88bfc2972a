"""One exception for each mistake, with the row and the column; nothing leaks."""

import mmap
import pathlib

import numpy as np
import pytest

import hexphase

GOOD = [[0.0, 0.0, 1.0, 1.0]]


def error_of(call, *arguments, kind=ValueError, **options):
    with pytest.raises(kind) as error:
        call(*arguments, **options)
    assert type(error.value) is kind
    return str(error.value)


def test_errors_name_row_and_column():
    boxes = np.zeros((9, 4))
    boxes[5, 2] = np.nan
    assert error_of(hexphase.pairs, boxes) == "boxes: row 5, column 2 is NaN"
    boxes[5, 2] = np.inf
    assert error_of(hexphase.pairs, boxes) == "boxes: row 5, column 2 is inf"
    boxes[5, 2] = -1.0
    assert (
        error_of(hexphase.pairs, boxes)
        == "boxes: row 5: the minimum 0 in column 0 is above the maximum -1 in column 2"
    )
    text = error_of(hexphase.join, GOOD, boxes)
    assert text.startswith("b: row 5: ")
    assert error_of(hexphase.query, GOOD, [[0, np.nan]]).startswith("areas: row 0, column 1")
    assert error_of(hexphase.nearest, GOOD, [[0, np.nan]]).startswith("points: row 0, column 1")
    assert error_of(hexphase.World().insert, boxes).startswith("boxes: row 5: ")


def test_options_are_validated():
    for within in (-1, float("nan")):
        assert "within must be at least 0" in error_of(hexphase.pairs, GOOD, within)
    assert "whole number" in error_of(hexphase.pairs, [[0, 0, 1, 1]], wrap=(0.5, 0))
    for k in (0, -3):
        assert error_of(hexphase.nearest, GOOD, [[0, 0]], k) == f"k must be at least 1, got {k}"
    assert "threads must be at least 1" in error_of(hexphase.pairs, GOOD, threads=0)
    assert "wrap: expected one length for each of 2 axes" in error_of(hexphase.pairs, GOOD, wrap=(360,))
    assert "axis 1" in error_of(hexphase.pairs, GOOD, wrap=(360, -1))
    assert "axis 0" in error_of(hexphase.World, wrap=(float("nan"), 0))
    error_of(hexphase.pairs, GOOD, "far", kind=TypeError)
    error_of(hexphase.pairs, GOOD, threads=-1, kind=OverflowError)


def test_shapes_and_types_are_validated():
    for shape in ((4,), (2, 5), (2, 4, 1), ()):
        assert "must have the shape" in error_of(hexphase.pairs, np.zeros(shape))
    assert "2 dimensions, but" in error_of(hexphase.join, GOOD, np.zeros((1, 6)))
    assert "must have 2 dimensions" in error_of(hexphase.World().insert, np.zeros((1, 6)))
    for dtype in (bool, complex, "U3", "M8[s]", np.longdouble):
        error_of(hexphase.pairs, np.zeros((1, 4), dtype), kind=TypeError)
    for data in ([[object()] * 4], None, "boxes"):
        error_of(hexphase.pairs, data, kind=TypeError)
    assert "beyond int32" in error_of(hexphase.pairs, np.array([[0, 0, 2**31, 1]]))
    assert "float32 does not" in error_of(hexphase.World(2, np.float32).insert, GOOD, kind=TypeError)


def test_worlds_are_unchanged_by_errors():
    world = hexphase.World()
    world.insert([[0, 0, 2, 2], [1, 1, 3, 3]])
    world.step()
    state = world.state_hash()
    bad = [[0, 0, 1, 1], [0, 0, np.nan, 1]]
    error_of(world.set_bounds, bad)
    error_of(world.set_bounds, bad, [0, 1])
    error_of(world.insert, bad)
    assert "3 rows" in error_of(world.set_bounds, np.zeros((3, 4)))
    assert "2 rows for 1 ids" in error_of(world.set_bounds, np.zeros((2, 4)), [0])
    assert error_of(world.remove, [0, 7]) == "object 7 does not exist"
    error_of(world.remove, [-1])
    error_of(world.remove, [0.5], kind=TypeError)
    error_of(world.set_static, [[0]])
    error_of(world.restore, b"damaged")
    error_of(world.restore, world.snapshot()[:-1])
    assert world.state_hash() == state
    error_of(hexphase.World, 4)
    error_of(hexphase.World, 2, np.int64, kind=TypeError)


@pytest.mark.skipif(not pathlib.Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_errors_do_not_leak():
    boxes = np.zeros((1000, 4))
    boxes[-1, 0] = np.nan

    def fail(count):
        for _ in range(count):
            with pytest.raises(ValueError):
                hexphase.pairs(boxes)
        pages = pathlib.Path("/proc/self/statm").read_text().split()[1]
        return int(pages) * mmap.PAGESIZE

    before = fail(1000)
    assert fail(10_000) - before < 2**21
