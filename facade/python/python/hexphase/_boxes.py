"""Searches in lists of boxes."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from . import _hexphase
from ._convert import for_distance, to_boxes, to_count, to_lengths, to_two

_Ids = NDArray[np.int32]
_Wrap = Sequence[float] | None


@overload
def pairs(
    boxes: Any,
    within: float | None = None,
    *,
    wrap: _Wrap = None,
    threads: int | None = None,
    stream: Literal[False] = False,
) -> _Ids: ...
@overload
def pairs(
    boxes: Any,
    within: float | None = None,
    *,
    wrap: _Wrap = None,
    threads: int | None = None,
    stream: Literal[True],
) -> Iterator[_Ids]: ...
def pairs(boxes, within=None, *, wrap=None, threads=None, stream=False):
    """Find the pairs of boxes that overlap.

    Parameters
    ----------
    boxes : array_like, shape (n, 4) or (n, 6)
        The boxes.
    within : float, optional
        Also find boxes at most this distance apart, in the unit of the boxes.
    wrap : sequence of float, optional
        The length of each axis that wraps, 0 for others.
    threads : int, optional
        The number of threads, by default one for each core.
    stream : bool, optional
        Return an iterator over arrays, in memory that does not grow with the number of pairs.

    Returns
    -------
    ndarray of int32, shape (m, 2)
        The rows of the boxes of each pair, the smaller first, in ascending order.

    Raises
    ------
    ValueError
        If a box is NaN, infinite or inverted, with its row and column, or an option is invalid.
    TypeError
        If the type of the numbers is not supported.

    Examples
    --------
    >>> import hexphase
    >>> hexphase.pairs([[0, 0, 2, 2], [1, 1, 3, 3], [8, 0, 9, 1]])
    array([[0, 1]], dtype=int32)
    >>> hexphase.pairs([[0, 0, 2, 2], [1, 1, 3, 3], [8, 0, 9, 1]], within=5)
    array([[0, 1],
           [1, 2]], dtype=int32)
    """
    wrap = to_lengths(wrap)
    array = for_distance(within, to_boxes("boxes", boxes, wrap))
    return _hexphase.pairs(array, within, wrap, threads, stream)


@overload
def join(
    a: Any,
    b: Any,
    within: float | None = None,
    *,
    wrap: _Wrap = None,
    threads: int | None = None,
    stream: Literal[False] = False,
) -> _Ids: ...
@overload
def join(
    a: Any,
    b: Any,
    within: float | None = None,
    *,
    wrap: _Wrap = None,
    threads: int | None = None,
    stream: Literal[True],
) -> Iterator[_Ids]: ...
def join(a, b, within=None, *, wrap=None, threads=None, stream=False):
    """Find the pairs of a box of `a` and a box of `b` that overlap.

    Parameters
    ----------
    a, b : array_like, shape (n, 4) or (n, 6)
        The boxes. If their types differ, both are converted to one that holds them exactly.
    within, wrap, threads, stream
        As of `pairs`.

    Returns
    -------
    ndarray of int32, shape (m, 2)
        The row of `a` and the row of `b` of each pair, in ascending order.

    Raises
    ------
    ValueError, TypeError
        As `pairs`.

    Examples
    --------
    >>> import hexphase
    >>> hexphase.join([[0, 0, 2, 2], [5, 0, 9, 1]], [[1, 1, 6, 3]], within=0.5)
    array([[0, 0],
           [1, 0]], dtype=int32)
    """
    wrap = to_lengths(wrap)
    a, b = for_distance(within, *to_two(("a", "b"), a, b, wrap))
    return _hexphase.join(("a", "b"), a, b, within, wrap, threads, stream)


def query(
    boxes: Any,
    areas: Any,
    within: float | None = None,
    *,
    wrap: _Wrap = None,
    threads: int | None = None,
) -> _Ids:
    """Find the boxes that overlap each of some areas, which are boxes or points.

    Parameters
    ----------
    boxes : array_like, shape (n, 4) or (n, 6)
        The boxes.
    areas : array_like, shape (q, 4), (q, 6), (q, 2) or (q, 3)
        The boxes or points to query with.
    within, wrap, threads
        As of `pairs`.

    Returns
    -------
    ndarray of int32, shape (m, 2)
        The row of the area and the row of the box of each pair, in ascending order.

    Raises
    ------
    ValueError, TypeError
        As `pairs`.

    Examples
    --------
    >>> import hexphase
    >>> hexphase.query([[0, 0, 2, 2], [1, 1, 3, 3]], [[1.5, 1.5], [9, 9]])
    array([[0, 0],
           [0, 1]], dtype=int32)
    """
    wrap = to_lengths(wrap)
    areas, boxes = for_distance(within, *to_two(("areas", "boxes"), areas, boxes, wrap))
    return _hexphase.join(("areas", "boxes"), areas, boxes, within, wrap, threads, False)


def nearest(
    boxes: Any, points: Any, k: int = 1, *, wrap: _Wrap = None, threads: int | None = None
) -> tuple[_Ids, NDArray[np.float64]]:
    """Find the boxes nearest to each point.

    Parameters
    ----------
    boxes : array_like, shape (n, 4) or (n, 6)
        The boxes.
    points : array_like, shape (q, 2), (q, 3), (q, 4) or (q, 6)
        The points, or boxes.
    k : int, optional
        The number of boxes to find for each point.
    wrap, threads
        As of `pairs`.

    Returns
    -------
    rows : ndarray of int32, shape (q, min(k, n))
        The rows of the boxes, in ascending order of the distance, then of the row.
    distances : ndarray of float64, shape (q, min(k, n))
        The distance of each box, in the unit of the boxes; 0 if it contains the point.

    Raises
    ------
    ValueError, TypeError
        As `pairs`.

    Examples
    --------
    >>> import hexphase
    >>> hexphase.nearest([[0, 0, 2, 2], [5, 0, 6, 1]], [[3, 0]], k=2)
    (array([[0, 1]], dtype=int32), array([[1., 2.]]))
    """
    wrap = to_lengths(wrap)
    boxes, points = to_two(("boxes", "points"), boxes, points, wrap)
    return _hexphase.nearest(boxes, points, to_count(k), wrap, threads)
