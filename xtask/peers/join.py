"""Finds the overlapping pairs of a scene with shapely or DuckDB, for comparison with `hexphase pairs`.

    python -m venv peers && peers/bin/pip install shapely duckdb numpy pyarrow
    peers/bin/python join.py shapely scene.csv out.csv
    peers/bin/python join.py duckdb scene.csv out.csv
    peers/bin/python join.py duckdb-cells scene.csv out.csv SIDE

Reads boxes or discs from CSV, plain or gzip, as `f32`, and writes sorted lines `a,b`. Each reads and
writes with the fastest method known to us. `duckdb` joins by four comparisons. `duckdb-cells` lists
each box in all cells of this side that it touches, and joins by cell.
"""

import sys

BOXES = """
CREATE TEMP TABLE t AS SELECT {id} AS id, {min_x} AS min_x, {min_y} AS min_y,
    {max_x} AS max_x, {max_y} AS max_y FROM read_csv('{scene}')
"""
OVERLAP = "a.min_x <= b.max_x AND b.min_x <= a.max_x AND a.min_y <= b.max_y AND b.min_y <= a.max_y"
WHOLE = f"SELECT a.id, b.id FROM t a JOIN t b ON a.id < b.id AND {OVERLAP}"
# A pair is reported only in the cell of the lower corner of the intersection.
CELLS = f"""
WITH c AS (SELECT *, unnest(range(floor(min_x / {{side}})::INT, floor(max_x / {{side}})::INT + 1)) AS x
           FROM t),
     d AS (SELECT *, unnest(range(floor(min_y / {{side}})::INT, floor(max_y / {{side}})::INT + 1)) AS y
           FROM c)
SELECT a.id, b.id FROM d a JOIN d b ON a.x = b.x AND a.y = b.y AND a.id < b.id AND {OVERLAP}
WHERE a.x = floor(greatest(a.min_x, b.min_x) / {{side}})::INT
  AND a.y = floor(greatest(a.min_y, b.min_y) / {{side}})::INT
"""


def duckdb_join(scene, out, side):
    import duckdb

    db = duckdb.connect()
    names = [row[0] for row in db.execute(f"DESCRIBE SELECT * FROM read_csv('{scene}')").fetchall()]
    rows = "id" if "id" in names else "(row_number() OVER ()) - 1"
    if "r" in names:
        ends = {f"{end}_{x}": f"({x} {sign} r)::FLOAT" for x in "xy" for end, sign in [("min", "-"), ("max", "+")]}
    else:
        ends = {name: f"{name}::FLOAT" for name in ["min_x", "min_y", "max_x", "max_y"]}
    db.execute(BOXES.format(id=rows, scene=scene, **ends))
    query = CELLS.format(side=side) if side else WHOLE
    db.execute(f"COPY ({query} ORDER BY 1, 2) TO '{out}' (HEADER false)")


def shapely_join(scene, out):
    import numpy
    import pyarrow
    import pyarrow.csv
    import shapely

    table = pyarrow.csv.read_csv(scene)
    column = lambda name: table[name].to_numpy()
    if "r" in table.column_names:
        ends = [column(x) + sign * column("r") for sign in (-1, 1) for x in "xy"]
    else:
        ends = [column(name) for name in ["min_x", "min_y", "max_x", "max_y"]]
    boxes = shapely.box(*[end.astype(numpy.float32).astype(float) for end in ends])
    a, b = shapely.STRtree(boxes).query(boxes)
    if "id" in table.column_names:
        ids = column("id")
        a, b = ids[a], ids[b]
    keep = a < b
    a, b = a[keep], b[keep]
    order = numpy.lexsort((b, a))
    pairs = pyarrow.table({"a": a[order], "b": b[order]})
    options = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none")
    pyarrow.csv.write_csv(pairs, out, options)


if __name__ == "__main__":
    name, scene, out, *side = sys.argv[1:]
    if name == "shapely":
        shapely_join(scene, out)
    else:
        duckdb_join(scene, out, side[0] if side else None)
