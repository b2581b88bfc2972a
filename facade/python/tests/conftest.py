"""Random boxes, and brute force over all of them."""

import numpy as np
import pytest


def random_boxes(rng, count, dimensions=2, dtype=np.float64, side=20.0, size=3.0):
    """Boxes with corners in a square or cube; integer corners touch often."""
    low = rng.random((count, dimensions)) * side
    high = low + rng.random((count, dimensions)) * size
    boxes = np.hstack([low, high])
    return np.floor(boxes).astype(dtype) if dtype == np.int32 else boxes.astype(dtype)


def gaps(a, b, wrap=None):
    """Distances between all boxes of a and of b on each axis, 0 if they overlap there."""
    axes = a.shape[1] // 2
    a, b = a.astype(np.float64)[:, None], b.astype(np.float64)[None]
    gap = np.full((a.shape[0], b.shape[1], axes), np.inf)
    for shift in (-1, 0, 1) if wrap is not None else (0,):
        moved = shift * np.asarray(wrap or [0.0] * axes)
        low = b[..., :axes] + moved - a[..., axes:]
        high = a[..., :axes] - b[..., axes:] - moved
        gap = np.minimum(gap, np.maximum(np.maximum(low, high), 0.0))
    return gap


def distances(a, b, wrap=None):
    return np.sqrt((gaps(a, b, wrap) ** 2).sum(axis=2))


def brute_join(a, b, within=0.0, wrap=None):
    return np.argwhere(distances(a, b, wrap) <= within).astype(np.int32)


def brute_pairs(boxes, within=0.0, wrap=None):
    pairs = brute_join(boxes, boxes, within, wrap)
    return pairs[pairs[:, 0] < pairs[:, 1]]


def assert_same(found, expected):
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, expected)


@pytest.fixture
def rng():
    return np.random.default_rng(7)
