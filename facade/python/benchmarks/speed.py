"""Prints times and peak memory of hexphase and of other libraries, on equal inputs, in turns.

Usage: python benchmarks/speed.py [FILTER] [--turns TURNS] [--scale SCALE]

Times are medians, from arrays to arrays. Ratios divide the time of each other library by that of
hexphase with one thread. Peak memory is measured in a process for each library, and does not include
the interpreter and the input.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np

import hexphase


def boxes_scene(scale):
    """Boxes that overlap 5 others each, on average."""
    count = int(1_000_000 * scale)
    corners = np.random.default_rng(1).random((count, 2))
    side = np.sqrt(5 / count) / 2
    boxes = np.hstack([corners, corners + side])
    return boxes, boxes.astype(np.float32)


def shapely_pairs(scene):
    import shapely

    shapes = shapely.box(*scene[0].T)

    def search():
        return len(shapely.STRtree(shapes).query(shapes).T)

    return search


BOXES = {
    "hexphase, 1 thread": lambda scene: lambda: len(hexphase.pairs(scene[0], threads=1)),
    "hexphase, 2 threads": lambda scene: lambda: len(hexphase.pairs(scene[0], threads=2)),
    "hexphase float32, 1 thread": lambda scene: lambda: len(hexphase.pairs(scene[1], threads=1)),
    "hexphase float32, 2 threads": lambda scene: lambda: len(hexphase.pairs(scene[1], threads=2)),
    "shapely STRtree, of both orders": shapely_pairs,
}


def particles_scene(neighbors):
    """Particles in a periodic cube, with this number of neighbors on average."""

    def scene(scale):
        count = int(1_000_000 * scale)
        side = count ** (1 / 3)
        cutoff = (neighbors / (4 / 3 * np.pi)) ** (1 / 3)
        return np.random.default_rng(2).random((count, 3)) * side, cutoff, np.eye(3) * side

    return scene


def ours(threads):
    def make(scene):
        positions, cutoff, cell = scene
        return lambda: len(hexphase.neighbor_list("ijSd", positions, cutoff, cell, True, threads=threads)[0])

    return make


def vesin_list(threads):
    def make(scene):
        import vesin

        positions, cutoff, cell = scene

        def compute():
            # A list that is kept would not allocate memory in each turn, as the others do.
            search = vesin.NeighborList(cutoff=cutoff, full_list=True, n_threads=threads)
            return len(search.compute(positions, cell, True, "ijSd")[0])

        return compute

    return make


def matscipy_list(scene):
    from matscipy.neighbours import neighbour_list

    positions, cutoff, cell = scene
    options = {"positions": positions, "cell": cell, "pbc": [True] * 3, "cutoff": cutoff}
    return lambda: len(neighbour_list("ijSd", **options)[0])


def scipy_list(scene):
    from scipy.spatial import cKDTree

    positions, cutoff, cell = scene

    def search():
        pairs = cKDTree(positions, boxsize=cell[0, 0]).query_pairs(cutoff, output_type="ndarray")
        i, j = pairs.T
        vectors = positions[j] - positions[i]
        shifts = -np.round(vectors / cell[0, 0])
        d = np.sqrt(((vectors + shifts * cell[0, 0]) ** 2).sum(axis=1))
        return len(d)

    return search


LISTS = {
    "hexphase, 1 thread": ours(1),
    "hexphase, 2 threads": ours(2),
    "vesin, 1 thread": vesin_list(1),
    "vesin, 2 threads": vesin_list(2),
    "matscipy": matscipy_list,
    "scipy cKDTree, half list": scipy_list,
}
# Libraries that take a radius for each particle.
RADII = {name: LISTS[name] for name in ("hexphase, 1 thread", "hexphase, 2 threads", "matscipy")}


def grains_scene(scale):
    """Grains whose radii differ by a factor of 100; the volume of each size is equal."""
    rng = np.random.default_rng(3)
    count = int(5000 * scale)
    radii = 0.05 * (1 + (100.0**-3 - 1) * rng.random(count)) ** (-1 / 3)
    radii[0], side = 5.0, 2.0 * (count * 0.05**3 * 14) ** (1 / 3)
    side = max(side, 21.0)
    return rng.random((count, 3)) * side, radii, np.eye(3) * side


SCENES = {
    "1,000,000 boxes, 5 overlaps each": (boxes_scene, BOXES),
    "1,000,000 particles, 30 neighbors each": (particles_scene(30), LISTS),
    "1,000,000 particles, 60 neighbors each": (particles_scene(60), LISTS),
    "5,000 grains, radii 1:100": (grains_scene, RADII),
}


def resident(field):
    """Memory in MB from the status of the process, on Linux."""
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def memory(scene, library, scale):
    make, libraries = SCENES[scene]
    search = libraries[library](make(scale))
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before = resident("VmRSS")
    search()
    print(resident("VmHWM") - before)


def compare(scene, turns, scale):
    make, libraries = SCENES[scene]
    data, searches = make(scale), {}
    for library, prepare in libraries.items():
        try:
            searches[library] = prepare(data)
        except ImportError:
            print(f"{library} is not installed", file=sys.stderr)
    times = {library: [] for library in searches}
    counts = {}
    for _ in range(turns):
        for library, search in searches.items():
            begin = time.perf_counter()
            counts[library] = search()
            times[library].append(time.perf_counter() - begin)
    print(f"\n| {scene} | found | s | ratio | MB |\n|---|---|---|---|---|")
    first = statistics.median(times["hexphase, 1 thread"])
    for library in searches:
        command = [sys.executable, __file__, "--memory", scene, library, "--scale", str(scale)]
        used = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        median = statistics.median(times[library])
        print(f"| {library} | {counts[library]:,} | {median:.3g} | {median / first:.2g} | {used:.0f} |")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("filter", nargs="?", default="")
    arguments.add_argument("--turns", type=int, default=5)
    arguments.add_argument("--scale", type=float, default=1.0)
    arguments.add_argument("--memory", nargs=2, help=argparse.SUPPRESS)
    arguments = arguments.parse_args()
    if arguments.memory:
        memory(*arguments.memory, arguments.scale)
        return
    for scene in SCENES:
        if arguments.filter in scene:
            compare(scene, arguments.turns, arguments.scale)


if __name__ == "__main__":
    main()
