"""Joins two GeoDataFrames: the parcels within 50 m of each road, and the nearest road of each parcel."""

import geopandas
import numpy as np
import shapely

import hexphase


def parcels(count, rng):
    corner, size = rng.random((count, 2)) * 10_000, rng.random((count, 2)) * 30 + 5
    boxes = shapely.box(*corner.T, *(corner + size).T)
    return geopandas.GeoDataFrame({"parcel": np.arange(count)}, geometry=boxes, crs=3857)


def roads(count, rng):
    begin = rng.random((count, 2)) * 10_000
    ends = np.stack([begin, begin + rng.normal(size=(count, 2)) * 200], axis=1)
    return geopandas.GeoDataFrame({"road": np.arange(count)}, geometry=shapely.linestrings(ends), crs=3857)


def main():
    rng = np.random.default_rng(1)
    a, b = roads(500, rng), parcels(20_000, rng)

    # Candidates: their boxes are at most 50 m apart. Then the exact test, only of candidates.
    rows = hexphase.join(a, b, within=50.0)
    lines, areas = a.geometry.values[rows[:, 0]], b.geometry.values[rows[:, 1]]
    rows = rows[shapely.dwithin(lines, areas, 50.0)]
    joined = a.iloc[rows[:, 0]].reset_index(drop=True)
    joined["parcel"] = b["parcel"].to_numpy()[rows[:, 1]]
    print(f"{len(joined)} pairs of a road and a parcel, by road:")
    print(joined.groupby("road")["parcel"].count().describe())

    # The nearest boxes, without a limit.
    nearest, distances = hexphase.nearest(a, b, k=1)
    b["road"], b["distance"] = a["road"].to_numpy()[nearest[:, 0]], distances[:, 0]
    print(b.head())
    return joined, b


if __name__ == "__main__":
    main()
