"""Converts inputs into contiguous arrays of boxes, one row each: minima, then maxima."""

import operator
import sys

import numpy as np

from . import _seam

TYPES = (np.float32, np.float64, np.int32)


def to_boxes(name, data, wrap=None, dtype=None, dimensions=None):
    """Return boxes as an array of float32, float64 or int32 with 4 or 6 columns.

    Points, with 2 or 3 columns, become boxes without extent.
    """
    array = np.asarray(_numbers(data))
    if array.dtype == object:
        array = _bounds_of_geometries(name, array, wrap or ())
    array = _exact(name, array, dtype)
    if array.ndim != 2 or array.shape[1] not in (2, 3, 4, 6):
        raise ValueError(
            f"{name} must have the shape (n, 4) or (n, 6), or (n, 2) or (n, 3) for points; got {array.shape}"
        )
    if array.shape[1] in (2, 3):
        array = np.concatenate([array, array], axis=1)
    if dimensions is not None and array.shape[1] != 2 * dimensions:
        raise ValueError(f"{name} must have {dimensions} dimensions, got {array.shape[1] // 2}")
    return np.require(array, requirements=["C_CONTIGUOUS", "ALIGNED"])


def to_two(names, a, b, wrap):
    """Return two arrays of boxes of one type, which holds the numbers of both exactly."""
    a, b = (to_boxes(name, data, wrap) for name, data in zip(names, (a, b)))
    if a.shape[1] != b.shape[1]:
        raise ValueError(
            f"{names[0]} has {a.shape[1] // 2} dimensions, but {names[1]} has {b.shape[1] // 2}"
        )
    dtype = np.result_type(a, b)
    return a.astype(dtype, copy=False), b.astype(dtype, copy=False)


def for_distance(within, *arrays):
    """Return arrays of a type that holds the distance: int32 does not hold fractions."""
    if within is not None and within % 1 != 0 and arrays[0].dtype == np.int32:
        arrays = [array.astype(np.float64) for array in arrays]
    return arrays if len(arrays) > 1 else arrays[0]


def to_lengths(wrap):
    """Return the lengths of the axes as a list, None without axes that wrap."""
    return None if wrap is None else [float(length) for length in wrap]


def to_count(k):
    """Return a number of results."""
    if operator.index(k) < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    return min(k, 2**31)


def _numbers(data):
    """Return the geometries, the bounds or the columns of a table; other data unchanged."""
    if hasattr(data, "geometry") and hasattr(data, "bounds"):
        return data.geometry
    if hasattr(data, "bounds"):
        return data.bounds
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return _columns(data)
    return data


def _bounds_of_geometries(name, geometries, wrap):
    shapely = sys.modules.get("shapely")
    try:
        bounds = shapely.bounds(geometries)
    except (AttributeError, TypeError):
        raise TypeError(f"{name} has objects that are neither numbers nor geometries of shapely") from None
    if bounds.ndim == 2:
        _seam.adjust(shapely, geometries, bounds, wrap)
    return bounds


def _columns(table):
    """Return the columns of a table of pyarrow, polars or pandas, side by side."""
    if hasattr(table, "column"):  # pyarrow
        columns = [table.column(number) for number in range(table.num_columns)]
    else:
        columns = [table[name] for name in table.columns]
    return np.stack([column.to_numpy() for column in columns], axis=1)


def _exact(name, array, dtype):
    """Convert numbers to float32, float64 or int32, or to the given type, without rounding."""
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind in "iu":
        if array.size and not np.can_cast(array.dtype, np.int32):
            limits = np.iinfo(np.int32)
            if array.min() < limits.min or array.max() > limits.max:
                raise ValueError(f"{name} has integers beyond int32: convert them to float64")
        exact = np.int32
    elif kind == "f" and size <= 8:
        exact = np.float64 if size == 8 else np.float32
    else:
        raise TypeError(f"{name} must have numbers, int or float of at most 64 bits; got {array.dtype}")
    if dtype is None:
        return array.astype(exact, copy=False)
    if not np.can_cast(exact, dtype):
        raise TypeError(f"{name} has numbers of {np.dtype(exact)}, which {dtype} does not hold exactly")
    return array.astype(dtype, copy=False)
