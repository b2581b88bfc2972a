"""Worlds, compared with brute force over many ticks."""

import copy
import pickle

import numpy as np
import pytest
from conftest import assert_same, brute_join, brute_pairs, distances, random_boxes

import hexphase


def as_set(pairs):
    return set(map(tuple, pairs.tolist()))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("wrap", [None, 20.0])
def test_ticks_are_those_of_brute_force(rng, dtype, dimensions, wrap):
    wrap = wrap and [wrap] * dimensions
    world = hexphase.World(dimensions, dtype, wrap=wrap)
    boxes = np.zeros((0, 2 * dimensions), dtype)
    exists = np.zeros(0, bool)
    before, snapshot = set(), None
    for tick in range(30):
        ids = world.insert(random_boxes(rng, 20, dimensions, dtype))
        grown = max(ids.max() + 1, len(boxes))
        boxes = np.vstack([boxes, np.zeros((grown - len(boxes), 2 * dimensions), dtype)])
        exists = np.append(exists, np.zeros(grown - len(exists), bool))
        exists[ids] = True
        boxes[:] = random_boxes(rng, grown, dimensions, dtype)
        if dtype != np.int32:
            boxes[~exists] = np.nan  # Rows of removed objects are ignored.
        world.set_bounds(boxes)
        some = rng.choice(np.flatnonzero(exists), 5, replace=False)
        boxes[some] = random_boxes(rng, 5, dimensions, dtype)
        world.set_bounds(boxes[some], some)
        gone = rng.choice(np.flatnonzero(exists), 12, replace=False)
        world.remove(gone)
        exists[gone] = False
        live = np.flatnonzero(exists)
        assert_same(world.ids, live)
        assert len(world) == len(live)
        began, ended = world.step()
        expected = live[brute_pairs(boxes[live], 0.0, wrap)]
        assert_same(world.pairs(), expected)
        now = as_set(expected)
        if not set(gone.tolist()) & set(ids.tolist()):
            kept = {pair for pair in before if not set(pair) & set(ids.tolist())}
            assert as_set(began) >= now - before
            assert as_set(ended) >= before - now
            assert not as_set(began) & kept and as_set(ended) <= before
        before = now
        areas = random_boxes(rng, 9, dimensions, dtype)
        found = brute_join(areas, boxes[live], 2.0, wrap)
        found[:, 1] = live[found[:, 1]]
        assert_same(world.query(areas, 2.0), found)
        ids, near = world.nearest(areas, 4)
        nearest = np.sort(distances(areas, boxes[live], wrap), axis=1)[:, :4]
        np.testing.assert_allclose(near, nearest, rtol=1e-6, atol=1e-5)
        if tick == 14:
            snapshot = world.snapshot(), boxes.copy(), exists.copy(), before, world.state_hash()
        if tick == 20:
            bytes_, boxes, exists, before, state = snapshot
            boxes, exists = boxes.copy(), exists.copy()
            world.restore(bytes_)
            assert world.state_hash() == state
            assert as_set(world.pairs()) == before
    assert len(before) > 3


def test_events_of_moves(rng):
    world = hexphase.World()
    world.insert(random_boxes(rng, 200))
    before = set()
    for _ in range(20):
        boxes = random_boxes(rng, 200)
        world.set_bounds(boxes)
        began, ended = world.step()
        now = as_set(brute_pairs(boxes))
        assert (as_set(began), as_set(ended)) == (now - before, before - now)
        before = now


def test_static_objects_form_no_pair():
    world = hexphase.World()
    ids = world.insert([[0, 0, 2, 2], [1, 1, 3, 3]])
    world.set_static(ids)
    world.step()
    assert len(world.pairs()) == 0
    world.set_static(ids[:1], False)
    world.step()
    assert_same(world.pairs(), [[0, 1]])


def test_copies_continue_alike(rng):
    world = hexphase.World(3, np.float32, wrap=(20, 20, 20), threads=1)
    world.insert(random_boxes(rng, 100, 3, np.float32))
    world.remove([3, 50])
    world.step()
    for other in (pickle.loads(pickle.dumps(world)), copy.deepcopy(world)):
        assert other.state_hash() == world.state_hash()
        assert_same(other.insert(np.zeros((2, 6), np.float32)), [3, 50])
        began, _ = other.step()
        assert len(began) > 0 and len(world) == 98


def test_numbers_of_threads_do_not_change_the_state(rng):
    boxes = [random_boxes(rng, 20_000, size=0.2) for _ in range(3)]
    states = []
    for threads in (1, 2, None):
        world = hexphase.World(threads=threads)
        world.insert(boxes[0])
        for moved in boxes:
            world.set_bounds(moved)
            world.step()
        states.append((world.state_hash(), len(world.pairs())))
    assert states[0][1] > 1000 and len(set(states)) == 1
