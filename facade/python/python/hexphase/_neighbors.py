"""Neighbor lists of particles in periodic cells."""

from typing import Any

import numpy as np

from . import _hexphase

LETTERS = "ijSdD"


def neighbor_list(
    quantities: str,
    positions: Any,
    cutoff: Any,
    cell: Any = None,
    pbc: Any = False,
    *,
    species: Any = None,
    half: bool = False,
    csr: bool = False,
    threads: int | None = None,
) -> Any:
    """Find the neighbors of particles in a cell that may be periodic.

    Particles `i` and `j` are neighbors for each shift `S`, an image of `j`, for which the vector
    ``D = positions[j] - positions[i] + S @ cell`` is at most as long as the cutoff. The cell may be
    triclinic, and smaller than the cutoff; particles may be outside of it. A particle is a neighbor
    of its own images. Positions are compared in float64.

    Parameters
    ----------
    quantities : str
        The arrays to return, in this order: ``i``, ``j``, ``S``, ``d`` (distance) and ``D``.
    positions : array_like, shape (n, 3), or ase.Atoms
        The positions. Atoms have their own cell and pbc.
    cutoff : float, or array_like of shape (n,) or (t, t)
        The largest distance; or the radius of each particle, whose spheres must touch; or, with
        `species`, the distance of each two species, NaN or negative for species without pairs.
    cell : array_like, shape (3, 3) or (3,), optional
        The cell vectors in rows, or the lengths of the sides, in the unit of the positions.
    pbc : bool or sequence of bool, shape (3,), optional
        The cell vectors along which the cell repeats.
    species : array_like of int, shape (n,), optional
        The row of each particle in a table of cutoffs.
    half : bool, optional
        Only one of the pairs ``(i, j, S)`` and ``(j, i, -S)``: the one with ``i < j``.
    csr : bool, optional
        Also return, in front of the arrays, the offsets: the neighbors of particle `p` are at
        ``offsets[p]:offsets[p + 1]``.
    threads : int, optional
        The number of threads, by default one for each core.

    Returns
    -------
    ndarray, or tuple of ndarray
        One array for each letter; without `csr` and with one letter, only this array. `i`, `j`:
        int32, shape (m,). `S`: int32, shape (m, 3). `d`: float64, shape (m,). `D`: float64, shape
        (m, 3). Offsets: int64, shape (n + 1,). Sorted by `i`, `j` and `S`.

    Raises
    ------
    ValueError
        If a number is NaN or infinite, with its row and column; if the cell is singular, or a
        cutoff, a length or a letter is invalid.

    Examples
    --------
    >>> import hexphase
    >>> positions = [[0.5, 0.5, 0.5], [3.5, 0.5, 0.5]]
    >>> i, j, d = hexphase.neighbor_list("ijd", positions, 1.5, cell=[4, 4, 4], pbc=True)
    >>> i, j, d
    (array([0, 1], dtype=int32), array([1, 0], dtype=int32), array([1., 1.]))
    """
    _check(quantities)
    positions, cell = _particles(positions, cell, pbc)
    cutoff = _cutoff(cutoff, species)
    columns = _hexphase.neighbor_list(quantities, positions, cutoff, cell, half, threads)
    found = _pick(quantities, columns)
    if csr:
        return columns[0], *found
    return found[0] if len(quantities) == 1 else found


class NeighborList:
    """A neighbor list that is updated while particles move.

    Pairs up to the cutoff plus a skin are stored. They are searched again only if a particle has
    moved by more than half of the skin, or the cell has changed. The list always equals that of
    `neighbor_list`.

    Parameters
    ----------
    cutoff : float, or array_like of shape (n,) or (t, t)
        As of `neighbor_list`.
    skin : float
        A larger one saves searches and costs time for each update.
    quantities : str, optional
        The arrays to update: only these are attributes.
    species, half, threads
        As of `neighbor_list`.

    Attributes
    ----------
    i, j, S, d, D, offsets : ndarray
        The arrays of the last update, as of `neighbor_list`.

    Examples
    --------
    >>> import hexphase
    >>> neighbors = hexphase.NeighborList(1.5, skin=0.5, quantities="ij")
    >>> neighbors.update([[0, 0, 0], [1, 0, 0]])
    True
    >>> neighbors.update([[0, 0, 0], [1.2, 0, 0]])
    False
    >>> neighbors.j
    array([1, 0], dtype=int32)
    """

    def __init__(
        self,
        cutoff: Any,
        skin: float,
        quantities: str = LETTERS,
        *,
        species: Any = None,
        half: bool = False,
        threads: int | None = None,
    ) -> None:
        _check(quantities)
        self._quantities = quantities
        self._list = _hexphase.Verlet(quantities, _cutoff(cutoff, species), skin, half, threads)

    def update(self, positions: Any, cell: Any = None, pbc: Any = False) -> bool:
        """Update the arrays. Return whether the particles were searched again."""
        positions, cell = _particles(positions, cell, pbc)
        searched, columns = self._list.update(positions, cell)
        self.offsets = columns[0]
        for letter, column in zip(self._quantities, _pick(self._quantities, columns)):
            setattr(self, letter, column)
        return searched


def _check(quantities):
    unknown = set(quantities) - set(LETTERS)
    if unknown or not quantities:
        raise ValueError(f"quantities must be letters of {LETTERS}, got {quantities!r}")


def _pick(quantities, columns):
    return tuple(columns[1 + LETTERS.index(letter)] for letter in quantities)


def _particles(positions, cell, pbc):
    """Return positions, and the cell as its vectors and its periodic axes."""
    if hasattr(positions, "get_positions"):  # ase.Atoms
        positions, cell, pbc = positions.positions, positions.cell, positions.pbc
    positions = _floats("positions", positions)
    if positions.ndim != 2 or positions.shape[1] != 3:
        raise ValueError(f"positions must have the shape (n, 3), got {positions.shape}")
    pbc = np.broadcast_to(np.asarray(pbc, bool), 3)
    if cell is None:
        if pbc.any():
            raise ValueError("a periodic cell needs its vectors: set cell")
        cell = np.zeros((3, 3))
    cell = _floats("cell", cell)
    if cell.shape == (3,):
        cell = np.diag(cell)
    if cell.shape != (3, 3):
        raise ValueError(f"cell must have the shape (3, 3) or (3,), got {cell.shape}")
    return positions, (cell, pbc.tolist())


def _cutoff(cutoff, species):
    cutoff = _floats("cutoff", cutoff)
    if species is not None:
        species = np.asarray(species)
        if species.size and (species.dtype.kind not in "iu" or species.min() < 0):
            raise ValueError("species must be integers of at least 0")
        if cutoff.ndim != 2 or species.ndim != 1:
            raise ValueError("with species, cutoff must have the shape (t, t), and species (n,)")
        return np.ascontiguousarray(species, np.uint32), cutoff
    if cutoff.ndim > 1:
        raise ValueError("a table of cutoffs needs the species of the particles")
    return float(cutoff) if cutoff.ndim == 0 else cutoff


def _floats(name, numbers):
    array = np.asarray(numbers)
    if array.size and array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must have numbers, got {array.dtype}")
    return np.require(array, np.float64, ["C_CONTIGUOUS", "ALIGNED"])
