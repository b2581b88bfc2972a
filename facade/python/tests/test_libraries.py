"""Inputs of other libraries, and their results. Each is skipped if it is not installed."""

import numpy as np
import pytest
from conftest import assert_same, random_boxes

import hexphase


def sorted_pairs(pairs):
    return pairs[np.lexsort(pairs.T[::-1])]


def test_pairs_are_those_of_shapely(rng):
    shapely = pytest.importorskip("shapely")
    a, b = random_boxes(rng, 3000), random_boxes(rng, 2000)
    shapes, others = shapely.box(*a.T), shapely.box(*b.T)
    tree = shapely.STRtree(shapes)
    both = sorted_pairs(tree.query(shapes).T)
    assert_same(hexphase.pairs(a), both[both[:, 0] < both[:, 1]])
    assert_same(hexphase.join(b, a), sorted_pairs(tree.query(others).T))
    assert_same(hexphase.join(others, shapes), sorted_pairs(tree.query(others).T))
    near = sorted_pairs(tree.query(others, predicate="dwithin", distance=0.25).T)
    assert_same(hexphase.join(b, a, 0.25), near)
    points = b[:, :2]
    inside = sorted_pairs(tree.query(shapely.points(points), predicate="dwithin", distance=0.5).T)
    assert_same(hexphase.query(a, points, within=0.5), inside)
    rows, distances = hexphase.nearest(a, points)
    index, expected = tree.query_nearest(shapely.points(points), return_distance=True, all_matches=False)
    np.testing.assert_allclose(distances[index[0], 0], expected, rtol=1e-12, atol=1e-12)


def test_neighbors_are_those_of_scipy(rng):
    spatial = pytest.importorskip("scipy.spatial")
    points, others = rng.random((2000, 3)), rng.random((500, 3))
    tree = spatial.cKDTree(points)
    expected = sorted_pairs(tree.query_pairs(0.08, output_type="ndarray"))
    assert_same(hexphase.pairs(points, 0.08), expected)
    distances, rows = tree.query(others, k=5)
    found, lengths = hexphase.nearest(points, others, 5)
    np.testing.assert_array_equal(found, rows)
    np.testing.assert_allclose(lengths, distances)
    wrapping = spatial.cKDTree(points, boxsize=1.0)
    expected = sorted_pairs(wrapping.query_pairs(0.08, output_type="ndarray"))
    assert_same(hexphase.pairs(points, 0.08, wrap=(1, 1, 1)), expected)


def test_geodataframes(rng):
    geopandas = pytest.importorskip("geopandas")
    shapely = pytest.importorskip("shapely")
    boxes = random_boxes(rng, 100)
    frame = geopandas.GeoDataFrame({"id": range(100)}, geometry=shapely.box(*boxes.T))
    expected = hexphase.pairs(boxes)
    for data in (frame, frame.geometry, frame.geometry.to_numpy(), list(frame.geometry)):
        assert_same(hexphase.pairs(data), expected)
    world = hexphase.World()
    world.insert(frame)
    world.step()
    assert_same(world.pairs(), expected)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        # A ring over the seam, in both directions, and one that is cut at the seam.
        ("POLYGON((179.9 0, -179.9 0, -179.8 1, 179.9 0))", (179.9, 180.2)),
        ("POLYGON((-179.9 0, 179.9 0, 179.8 1, -179.9 0))", (179.8, 180.1)),
        ("MULTILINESTRING((179 0, 180 0), (-180 0, -179 0))", (179, 181)),
        # Points, in any round.
        ("MULTIPOINT(170 0, -170 0, 175 0)", (170, 190)),
        ("MULTIPOINT(530 0, -170 0)", (530, 550)),
        ("MULTIPOINT(-100 0, 0 0, 100 0)", (-100, 100)),
        # An interval that contains another, and one that contains the seam.
        ("GEOMETRYCOLLECTION(LINESTRING(-170 0, 10 0, 20 0), MULTILINESTRING((-20 0, 0 0)))", (-170, 20)),
        ("MULTILINESTRING((100 0, -100 0), (-60 0, -60 1))", (100, 300)),
        # A ring around a pole, a step around the whole axis, and no gap.
        ("LINESTRING(-180 0, -60 0, 60 0, 180 0)", (0, 360)),
        ("LINESTRING(-180 0, 180 0, 180 1, -180 0)", (0, 360)),
        ("MULTILINESTRING((-180 0, -60 0, 60 0), (60 0, 180 0))", (0, 360)),
    ],
)
def test_geometries_across_the_seam_have_small_boxes(text, ends):
    shapely = pytest.importorskip("shapely")
    shapes = np.array([shapely.from_wkt(text), shapely.Point(0, 0)])
    boxes = hexphase._convert.to_boxes("boxes", shapes, [360.0, 0.0])
    np.testing.assert_allclose(boxes[0, [0, 2]], ends, rtol=1e-15)
    np.testing.assert_array_equal(boxes[1], np.zeros(4))
    inside = [(ends[0] + ends[1]) / 2 - 360, 0.5]
    assert len(hexphase.join(shapes[:1], [inside], 1.0, wrap=(360, 0))) == 1
    covers_zero = any(ends[0] <= 360 * turns <= ends[1] for turns in (0, 1))
    assert len(hexphase.pairs(shapes, wrap=(360, 0))) == covers_zero


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_tables(rng, library, dtype):
    module = pytest.importorskip(library)
    boxes = random_boxes(rng, 100, dtype=dtype)
    columns = dict(zip(("min_x", "min_y", "max_x", "max_y"), boxes.T.copy()))
    tables = {
        "pyarrow": lambda: [module.table(columns), module.RecordBatch.from_pydict(columns)],
        "polars": lambda: [module.DataFrame(columns)],
        "pandas": lambda: [module.DataFrame(columns)],
    }
    for table in tables[library]():
        assert_same(hexphase.pairs(table), hexphase.pairs(boxes))


def test_columns_with_gaps_are_an_error():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table([[0.0, 1.0], [0.0, None], [1.0, 2.0], [1.0, 2.0]], names=list("abcd"))
    with pytest.raises(ValueError, match="row 1, column 1 is NaN"):
        hexphase.pairs(table)
