"""Boxes of geometries on an axis that wraps, such as degrees of longitude.

A geometry whose box is longer than half of the axis may lie across the seam:

1. Follow each part, a point, line or ring, from point to point. A step of more than half of the
   axis takes the shorter way, over the seam. So each part covers an interval of the circle.
2. Sort the intervals by their start. The box has everything but the largest gap between them.
"""

import numpy as np

POLYGON, MULTI_POINT = 3, 4


def adjust(shapely, geometries, bounds, wrap):
    """Replace the ends of long boxes on the axes that wrap."""
    for axis, side in enumerate(wrap[:2]):
        if side > 0:
            for row in np.flatnonzero(bounds[:, 2 + axis] - bounds[:, axis] > side / 2):
                lines = _lines(shapely, geometries[row])
                coordinates, parts = shapely.get_coordinates(lines, return_index=True)
                bounds[row, [axis, 2 + axis]] = covered(coordinates[:, axis], parts, side)


def _lines(shapely, geometry):
    """Return the points, lines and rings of a geometry."""
    parts = shapely.get_parts([geometry])
    while (shapely.get_type_id(parts) >= MULTI_POINT).any():
        parts = shapely.get_parts(parts)
    is_polygon = shapely.get_type_id(parts) == POLYGON
    return np.concatenate([parts[~is_polygon], shapely.get_rings(parts[is_polygon])])


def covered(xs, parts, side):
    """Return the ends of the smallest interval that covers all parts; the end may exceed the axis."""
    intervals = []  # start, from 0 to the side; length; coordinates of both ends
    for x in np.split(xs, np.flatnonzero(np.diff(parts)) + 1):
        steps = np.diff(x)
        turns = np.where(np.abs(steps) > side / 2, np.round(steps / side), 0.0)
        positions = x - side * np.concatenate([[0.0], np.cumsum(turns)])
        low, high = positions.argmin(), positions.argmax()
        length = positions[high] - positions[low]
        if length >= side or (np.abs(steps) >= side).any():
            return 0.0, side
        intervals.append((positions[low] % side, length, x[low], x[high]))
    intervals.sort()
    start, length, _, last = max(intervals, key=lambda interval: interval[0] + interval[1])
    end, gap, ends = start + length - side, 0.0, (0.0, side)
    for start, length, low, high in intervals:
        if start - end > gap:
            gap, ends = start - end, (low, last)
        if start + length > end:
            end, last = start + length, high
    low, high = ends
    return low, high + round((side - gap + low - high) / side) * side
