"""Worlds of boxes that move."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _hexphase
from ._convert import TYPES, to_boxes, to_count, to_lengths

_Ids = NDArray[np.int32]


class World:
    """Boxes that move, and their overlapping pairs.

    `insert` numbers the objects from 0; the number of a removed object is used again. Equal calls
    give equal results on every machine. An error leaves the world as it is.

    Parameters
    ----------
    dimensions : {2, 3}, optional
        The number of axes.
    dtype : {float64, float32, int32}, optional
        The type of the coordinates. Arrays of a type that it does not hold exactly are an error.
    wrap : sequence of float, optional
        The length of each axis that wraps, 0 for others.
    threads : int, optional
        The number of threads, by default one for each core.

    Examples
    --------
    >>> import hexphase
    >>> world = hexphase.World()
    >>> world.insert([[0, 0, 2, 2], [1, 1, 3, 3]])
    array([0, 1], dtype=int32)
    >>> began, ended = world.step()
    >>> began
    array([[0, 1]], dtype=int32)
    >>> world.set_bounds([[7, 7, 9, 9]], ids=[1])
    >>> began, ended = world.step()
    >>> ended
    array([[0, 1]], dtype=int32)
    """

    def __init__(
        self,
        dimensions: int = 2,
        dtype: DTypeLike = np.float64,
        *,
        wrap: Sequence[float] | None = None,
        threads: int | None = None,
    ) -> None:
        if dimensions not in (2, 3):
            raise ValueError(f"dimensions must be 2 or 3, got {dimensions}")
        if np.dtype(dtype) not in TYPES:
            raise TypeError(f"dtype must be float32, float64 or int32, got {np.dtype(dtype)}")
        self._settings = dimensions, np.dtype(dtype), to_lengths(wrap), threads
        example = np.empty((0, 2 * dimensions), dtype)
        self._world = _hexphase.World(example, to_lengths(wrap), threads)

    def _boxes(self, name, data):
        dimensions, dtype, wrap, _ = self._settings
        return to_boxes(name, data, wrap, dtype, dimensions)

    def __len__(self) -> int:
        """Return the number of objects."""
        return len(self._world)

    @property
    def ids(self) -> _Ids:
        """The numbers of all objects, ascending."""
        return self._world.ids()

    def insert(self, boxes: Any) -> _Ids:
        """Insert boxes, shape (n, 4) or (n, 6). Return the numbers of the new objects, shape (n,)."""
        return self._world.insert(self._boxes("boxes", boxes))

    def set_bounds(self, boxes: Any, ids: Any = None) -> None:
        """Change the boxes of objects.

        Parameters
        ----------
        boxes : array_like, shape (n, 4) or (n, 6)
            The new boxes. Without `ids`, row i belongs to object i, for all numbers that have been
            used; rows of removed objects are ignored.
        ids : array_like of int, shape (n,), optional
            The object of each row.
        """
        self._world.set_bounds(self._boxes("boxes", boxes), None if ids is None else _to_ids(ids))

    def set_static(self, ids: Any, static: bool = True) -> None:
        """Make objects static, or dynamic again. Two static objects form no pair."""
        self._world.set_static(_to_ids(ids), static)

    def remove(self, ids: Any) -> None:
        """Remove objects. Their pairs end at the next step."""
        self._world.remove(_to_ids(ids))

    def step(self) -> tuple[_Ids, _Ids]:
        """Find the overlapping pairs, and compare them with those of the step before.

        Returns
        -------
        began, ended : ndarray of int32, shape (m, 2)
            The pairs that did not overlap at the step before, and those that no longer do.
        """
        return self._world.step()

    def pairs(self) -> _Ids:
        """Return the overlapping pairs of the last step, shape (m, 2), ascending."""
        return self._world.pairs()

    def query(self, areas: Any, within: float | None = None) -> _Ids:
        """Find the objects that overlap each of some areas, which are boxes or points.

        Parameters
        ----------
        areas : array_like, shape (q, 4), (q, 6), (q, 2) or (q, 3)
            The boxes or points to query with.
        within : float, optional
            Also find objects at most this distance apart.

        Returns
        -------
        ndarray of int32, shape (m, 2)
            The row of the area and the number of the object, in ascending order.
        """
        return self._world.query(self._boxes("areas", areas), within)

    def nearest(self, points: Any, k: int = 1) -> tuple[_Ids, NDArray[np.float64]]:
        """Find the objects nearest to each point, as `hexphase.nearest` does."""
        return self._world.nearest(self._boxes("points", points), to_count(k))

    def snapshot(self) -> bytes:
        """Return the state as bytes. After `restore`, equal calls give equal results."""
        return self._world.snapshot()

    def restore(self, snapshot: bytes) -> None:
        """Replace the state by that of a snapshot. Damaged bytes raise ValueError."""
        self._world.restore(snapshot)

    def state_hash(self) -> int:
        """Return a hash of the state: equal for equal states on every machine."""
        return self._world.state_hash()

    def __reduce__(self):
        return _restored, (self._settings, self.snapshot())


def _restored(settings, snapshot):
    dimensions, dtype, wrap, threads = settings
    world = World(dimensions, dtype, wrap=wrap, threads=threads)
    world.restore(snapshot)
    return world


def _to_ids(ids):
    array = np.asarray(ids)
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"ids must be integers, got {array.dtype}")
    if array.ndim != 1:
        raise ValueError(f"ids must have the shape (n,), got {array.shape}")
    return np.ascontiguousarray(array, dtype=np.int64)
