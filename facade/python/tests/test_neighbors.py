"""Neighbor lists, compared with brute force over images and with other libraries."""

import itertools

import numpy as np
import pytest

import hexphase

TRICLINIC = np.array([[5.0, 0.0, 0.0], [1.5, 4.0, 0.0], [-1.0, 0.7, 4.5]])


def brute(positions, reach, cell, pbc, half=False):
    """All (i, j, S, d, D) with d at most reach[i, j], sorted."""
    shifts = itertools.product(*[range(-3, 4) if periodic else [0] for periodic in pbc])
    rows = []
    for shift in shifts:
        vectors = positions[None] - positions[:, None] + (np.array(shift) @ cell)
        lengths = np.sqrt((vectors**2).sum(axis=2))
        for i, j in np.argwhere(lengths <= reach):
            key = (i, j, *shift)
            if key[:2] == (i, i) and shift == (0, 0, 0) or half and (j, *shift) <= (i, 0, 0, 0):
                continue
            rows.append((key, lengths[i, j], vectors[i, j]))
    rows.sort(key=lambda row: row[0])
    keys = np.array([row[0] for row in rows]).reshape(-1, 5)
    return keys, np.array([row[1] for row in rows]), np.array([row[2] for row in rows])


def check(positions, cutoff, reach, cell, pbc, **options):
    keys, lengths, vectors = brute(positions, reach, cell, pbc, options.get("half", False))
    i, j, shifts, d, D = hexphase.neighbor_list("ijSdD", positions, cutoff, cell, pbc, **options)
    np.testing.assert_array_equal(np.column_stack([i, j, shifts]), keys)
    np.testing.assert_allclose(d, lengths, rtol=1e-12)
    np.testing.assert_allclose(D, vectors, atol=1e-12)
    assert i.dtype == j.dtype == shifts.dtype == np.int32 and len(i) > 30
    return i


@pytest.mark.parametrize("pbc", [(True, True, True), (False, True, False), (False, False, False)])
@pytest.mark.parametrize("half", [False, True])
def test_lists_are_those_of_brute_force(rng, pbc, half):
    positions = rng.random((40, 3)) @ TRICLINIC
    positions[:5] += TRICLINIC[0] * pbc[0]
    check(positions, 2.1, 2.1, TRICLINIC, pbc, half=half)
    radii = np.geomspace(0.02, 2.0, 40)
    check(positions, radii, radii[:, None] + radii, TRICLINIC, pbc, half=half)
    species, table = rng.integers(0, 2, 40), np.array([[1.5, 2.0], [2.0, np.nan]])
    reach = np.nan_to_num(table, nan=-1.0)[species[:, None], species]
    check(positions, table, reach, TRICLINIC, pbc, half=half, species=species)


def test_quantities_and_offsets(rng):
    positions = rng.random((50, 3)) * 4
    i, j, d = hexphase.neighbor_list("ijd", positions, 1.0, [4, 4, 4], True)
    np.testing.assert_array_equal(hexphase.neighbor_list("j", positions, 1.0, [4, 4, 4], True), j)
    offsets, partners, lengths = hexphase.neighbor_list("jd", positions, 1.0, [4, 4, 4], True, csr=True)
    assert offsets.dtype == np.int64 and offsets.shape == (51,)
    np.testing.assert_array_equal(np.repeat(np.arange(50), np.diff(offsets)), i)
    np.testing.assert_array_equal(partners, j)
    np.testing.assert_array_equal(lengths, d)
    for threads in (1, 2):
        same = hexphase.neighbor_list("j", positions, 1.0, [4, 4, 4], True, threads=threads)
        np.testing.assert_array_equal(same, j)
    none = hexphase.neighbor_list("ijSdD", np.zeros((0, 3)), 1.0)
    assert [column.shape for column in none] == [(0,), (0,), (0, 3), (0,), (0, 3)]


def test_updates_equal_new_lists(rng):
    positions, searches = rng.random((200, 3)) * 6, 0
    neighbors = hexphase.NeighborList(1.2, 0.4)
    for _ in range(20):
        positions += rng.normal(size=positions.shape) * 0.02
        searches += neighbors.update(positions, [6, 6, 6], True)
        expected = hexphase.neighbor_list("ijSdD", positions, 1.2, [6, 6, 6], True)
        for letter, column in zip("ijSdD", expected):
            np.testing.assert_array_equal(getattr(neighbors, letter), column)
    assert 1 < searches < 15
    assert neighbors.update(positions, [7, 6, 6], True)


def random_case(rng):
    """Few particles in a cell of any shape, some outside of it or on its faces, and a cutoff."""
    while True:
        cell = np.diag(rng.uniform(1, 5, 3)) + rng.uniform(-1.5, 1.5, (3, 3)) * rng.integers(0, 2)
        lengths = np.linalg.norm(cell, axis=1)
        if abs(np.linalg.det(cell)) > 0.3 * lengths.prod():
            break
    fractions = rng.random((rng.integers(1, 12), 3)) * rng.choice([1, 4]) - rng.choice([0, 2])
    fractions[rng.random(fractions.shape) < 0.1] = rng.integers(-1, 2)
    # Often, the cell is smaller than the cutoff.
    return fractions @ cell, cell, rng.random(3) < 0.7, rng.uniform(0.5, 4)


def of_ase(module, atoms, cutoff):
    return module.neighbor_list("ijSdD", atoms, cutoff)


def of_matscipy(module, atoms, cutoff):
    return module.neighbour_list("ijSdD", atoms, cutoff)


def of_vesin(module, atoms, cutoff):
    search = module.NeighborList(cutoff=cutoff, full_list=True)
    return search.compute(
        points=atoms.positions, box=np.array(atoms.cell), periodic=atoms.pbc, quantities="ijSdD"
    )


@pytest.mark.parametrize(
    "name, search",
    [("ase.neighborlist", of_ase), ("matscipy.neighbours", of_matscipy), ("vesin", of_vesin)],
)
def test_500_lists_are_those_of_other_libraries(rng, name, search):
    ase, module = pytest.importorskip("ase"), pytest.importorskip(name)
    pairs = 0
    for number in range(500):
        positions, cell, pbc, cutoff = random_case(rng)
        atoms = ase.Atoms(f"H{len(positions)}", positions, cell=cell, pbc=pbc)
        found = hexphase.neighbor_list("ijSdD", positions, cutoff, cell, pbc)
        i, j, shifts, d, D = search(module, atoms, cutoff)
        order = np.lexsort([*np.asarray(shifts).T[::-1], j, i])
        for column, expected in zip(found[:3], (i, j, shifts)):
            np.testing.assert_array_equal(column, expected[order], f"case {number}")
        np.testing.assert_allclose(found[3], d[order], atol=1e-12)
        np.testing.assert_allclose(found[4], D[order], atol=1e-12)
        pairs += len(i)
    assert pairs > 10_000


def test_errors():
    positions = np.zeros((3, 3))
    for message, arguments, options in [
        ("quantities must be letters", ("ix", positions, 1.0), {}),
        ("shape \\(n, 3\\)", ("i", np.zeros((3, 2)), 1.0), {}),
        ("cutoff is negative", ("i", positions, -1.0), {}),
        ("2 radii or species for 3 positions", ("i", positions, [1.0, 1.0]), {}),
        ("radius 1 is negative", ("i", positions, [1.0, -1.0, 1.0]), {}),
        ("needs its vectors", ("i", positions, 1.0, None, True), {}),
        ("linearly dependent", ("i", positions, 1.0, np.zeros((3, 3)), True), {}),
        ("needs the species", ("i", positions, np.ones((2, 2))), {}),
        ("no row for its species", ("i", positions, np.ones((2, 2))), {"species": [0, 1, 2]}),
        ("at least 0", ("i", positions, np.ones((2, 2))), {"species": [0, 1, -2]}),
        ("symmetric", ("i", positions, [[1.0, 2.0], [1.0, 1.0]]), {"species": [0, 1, 0]}),
    ]:
        with pytest.raises(ValueError, match=message):
            hexphase.neighbor_list(*arguments, **options)
    positions[1, 2] = np.nan
    with pytest.raises(ValueError, match="position 1: coordinate 2"):
        hexphase.neighbor_list("i", positions, 1.0)
    with pytest.raises(TypeError, match="positions must have numbers"):
        hexphase.neighbor_list("i", [["a", "b", "c"]], 1.0)
