"""Overlapping boxes in two and three dimensions, worlds of boxes that move, and neighbor lists.

Boxes are the rows of an array: ``min_x, min_y, max_x, max_y``, or ``min_x, min_y, min_z, max_x,
max_y, max_z``. Boxes that touch overlap. Points, rows of two or three numbers, are boxes without
extent. These are accepted as boxes:

* arrays of ``float32``, ``float64`` or ``int32``, which are searched in this type, exactly. Shorter
  types and other integers are converted to one of them, exactly; otherwise an error is raised.
* everything with ``bounds``, such as a GeoDataFrame or a GeoSeries, and arrays of shapely geometries;
* tables with the Arrow interface, of pyarrow, polars or pandas, with a column for each number.

Results are arrays of ``int32``: row numbers of boxes. They are sorted, and equal on every machine
and with any number of threads. Convert them before arithmetic that exceeds 2^31.

Options of several functions:

* ``within``: also find boxes that are at most this distance apart, rounded to the type of the boxes.
* ``wrap``: the length of each axis that wraps, 0 for others, such as ``(360, 0)`` for degrees. A box
  may lie across the seam: then its minimum is above its maximum, or its maximum is beyond the end.
* ``threads``: the number of threads, by default one for each core.
* ``stream``: return an iterator over arrays, in memory that does not grow with the number of pairs.

Invalid numbers raise ``ValueError`` with the row and the column, other types ``TypeError``. Searches
release the interpreter lock, and Ctrl+C ends them.
"""

from ._boxes import join, nearest, pairs, query
from ._neighbors import NeighborList, neighbor_list
from ._world import World

__all__ = ["NeighborList", "World", "join", "nearest", "neighbor_list", "pairs", "query"]
