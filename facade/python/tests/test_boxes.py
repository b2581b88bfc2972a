"""Searches in lists of boxes, compared with brute force."""

import numpy as np
import pytest
from conftest import assert_same, brute_join, brute_pairs, distances, random_boxes

import hexphase

TYPES = [np.float32, np.float64, np.int32]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("wrap", [None, 20.0])
def test_results_are_those_of_brute_force(rng, dtype, dimensions, wrap):
    wrap = None if wrap is None else [wrap] + [0.0] * (dimensions - 1)
    a = random_boxes(rng, 300, dimensions, dtype)
    b = random_boxes(rng, 200, dimensions, dtype)
    for within in (None, 2.0):
        limit = within or 0.0
        pairs = brute_pairs(a, limit, wrap)
        assert len(pairs) > 100
        assert_same(hexphase.pairs(a, within, wrap=wrap), pairs)
        joined = brute_join(a, b, limit, wrap)
        assert_same(hexphase.join(a, b, within, wrap=wrap), joined)
        points = b[:, :dimensions]
        expected = brute_join(np.hstack([points, points]), a, limit, wrap)
        assert_same(hexphase.query(a, points, within, wrap=wrap), expected)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("wrap", [None, (20.0, 20.0)])
def test_nearest_boxes_are_ordered_by_distance_then_row(rng, dtype, wrap):
    boxes, points = random_boxes(rng, 100, dtype=dtype), random_boxes(rng, 50, dtype=dtype)[:, :2]
    all_distances = distances(np.hstack([points, points]), boxes, wrap)
    order = np.argsort(all_distances, axis=1, kind="stable")[:, :7]
    rows, found = hexphase.nearest(boxes, points, 7, wrap=wrap)
    expected = np.take_along_axis(all_distances, order, axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-5)
    if dtype == np.int32:
        assert_same(rows, order)
    picked = np.take_along_axis(all_distances, rows.astype(np.int64), axis=1)
    np.testing.assert_allclose(picked, expected, rtol=1e-6, atol=1e-5)
    rows, found = hexphase.nearest(boxes[:3], points, 7)
    assert rows.shape == found.shape == (50, 3)


def test_float64_is_compared_exactly():
    end = 1.0 + 2.0**-52
    assert len(hexphase.pairs([[0, 0, 1, 1], [end, 0, 2, 1]])) == 0
    assert len(hexphase.pairs([[0, 0, end, 1], [end, 0, 2, 1]])) == 1
    large = 2**31 - 1
    assert_same(hexphase.pairs(np.array([[0, 0, large - 1, 1], [large, 0, large, 1]])), np.empty((0, 2)))
    assert len(hexphase.pairs(np.array([[0, 0, large, 1], [large, 0, large, 1]]))) == 1
    # Integers are measured exactly, also by a fraction.
    assert len(hexphase.pairs([[0, 0, 0, 0], [1, 2, 1, 2]], 5**0.5)) == 1
    assert len(hexphase.pairs([[0, 0, 0, 0], [1, 2, 1, 2]], 2)) == 0
    # float32 and int32 have float64 in common.
    joined = hexphase.join(np.array([[large, 0, large, 0]], np.int32), np.float32([[0, 0, 2**31, 0]]))
    assert len(joined) == 1


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.uint32, np.int64, np.float16])
def test_other_types_are_converted_exactly(dtype):
    boxes = np.array([[0, 0, 2, 2], [1, 1, 3, 3]], dtype)
    assert_same(hexphase.pairs(boxes), [[0, 1]])
    assert_same(hexphase.pairs(boxes.astype(boxes.dtype.newbyteorder())), [[0, 1]])


def test_memory_layout_does_not_matter(rng):
    boxes = random_boxes(rng, 200)
    expected = brute_pairs(boxes)
    wide = np.zeros((400, 8))
    wide[::2, ::2] = boxes
    frozen = boxes.copy()
    frozen.flags.writeable = False
    shifted = np.frombuffer(b"\0" + boxes.tobytes(), np.uint8)[1:].view(np.float64).reshape(-1, 4)
    for same in (wide[::2, ::2], frozen, np.asfortranarray(boxes), boxes[::-1][::-1], shifted, boxes.tolist()):
        assert_same(hexphase.pairs(same), expected)
    assert frozen.tobytes() == boxes.tobytes()


def test_boxes_and_points_without_rows():
    none, some = np.empty((0, 4)), np.array([[0.0, 0, 1, 1]])
    for empty in (
        hexphase.pairs(none),
        hexphase.pairs(some),
        hexphase.join(none, some),
        hexphase.join(some, none),
        hexphase.query(none, np.zeros((3, 2))),
        hexphase.join(some, none, wrap=(9, 9)),
    ):
        assert_same(empty, np.empty((0, 2)))
    assert list(hexphase.pairs(none, stream=True)) == []
    assert hexphase.nearest(none, np.zeros((3, 2)))[0].shape == (3, 0)
    assert hexphase.nearest(some, np.zeros((0, 2)))[0].shape == (0, 0)


@pytest.mark.parametrize("wrap", [None, (20.0, 0.0)])
def test_threads_do_not_change_results(rng, wrap):
    boxes, more = random_boxes(rng, 40_000, size=0.5), random_boxes(rng, 30_000, size=0.5)
    results = []
    for threads in (1, 2, 3, None):
        options = {"wrap": wrap, "threads": threads}
        results.append(
            [
                hexphase.pairs(boxes[:10_000], 0.1, **options),
                hexphase.join(boxes[:10_000], more[:10_000], **options),
                *hexphase.nearest(boxes, more[:5000], 3, **options),
                np.concatenate(list(hexphase.pairs(boxes[:10_000], stream=True, **options))),
            ]
        )
    for other in results[1:]:
        for found, expected in zip(other, results[0]):
            np.testing.assert_array_equal(found, expected)
    assert len(results[0][0]) > 10_000


@pytest.mark.parametrize("wrap", [None, (20.0, 20.0)])
@pytest.mark.parametrize("threads", [1, 2])
def test_streams_have_the_pairs_of_arrays(rng, wrap, threads):
    # Few pairs; more pairs than are listed at once, most of them in some rows.
    for count, size in ((2000, 1.0), (6000, 0.1)):
        boxes, more = random_boxes(rng, count, size=size), random_boxes(rng, count, size=size)
        if size < 1.0:
            boxes[2000:3500] += [0, 0, 40, 40]
            more[:] += [0, 0, 5, 5]
        options = {"wrap": wrap, "threads": threads}
        for search, inputs in ((hexphase.pairs, (boxes,)), (hexphase.join, (boxes, more))):
            expected = search(*inputs, **options)
            stream = search(*inputs, stream=True, **options)
            arrays = list(stream)
            assert all(len(array) > 0 for array in arrays)
            assert_same(np.concatenate(arrays), expected)
            assert list(stream) == []
    assert len(arrays) > 2


def test_boxes_across_the_seam_of_longitudes():
    fiji = [[177, -19, -178, -16], [177, -19, 182, -16]]
    ship = [[-179.5, -18], [179.0, -17], [0.0, -17]]
    for box in fiji:
        found = hexphase.query([box], ship, wrap=(360, 0))
        assert_same(found, [[0, 0], [1, 0]])
    with pytest.raises(ValueError, match="row 0: the minimum 400.* in column 0"):
        hexphase.pairs([[400, 0, 0, 1]], wrap=(360, 0))
