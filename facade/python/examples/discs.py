"""Discs that bounce off each other in a world that wraps; draws them with matplotlib."""

import sys

import matplotlib
import numpy as np

import hexphase

SIDE, COUNT = 100.0, 400


def tick(world, positions, velocities, radii):
    """Move all discs and bounce those that touch. Return the pairs that touch."""
    positions += velocities
    positions %= SIDE
    world.set_bounds(np.hstack([positions - radii[:, None], positions + radii[:, None]]))
    world.step()
    a, b = world.pairs().T
    way = positions[b] - positions[a]
    way -= SIDE * np.round(way / SIDE)  # to the nearest image
    distance = np.hypot(*way.T)
    touches = (distance < radii[a] + radii[b]) & (distance > 0)
    a, b, normal = a[touches], b[touches], (way / np.maximum(distance, 1e-9)[:, None])[touches]
    speed = ((velocities[b] - velocities[a]) * normal).sum(axis=1)
    impulse = np.minimum(speed, 0.0)[:, None] * normal  # only discs that approach each other
    np.add.at(velocities, a, impulse)
    np.subtract.at(velocities, b, impulse)
    return np.stack([a, b], axis=1)


def main(output="discs.png", ticks=200):
    matplotlib.use("Agg")
    from matplotlib import pyplot

    rng = np.random.default_rng(3)
    positions, radii = rng.random((COUNT, 2)) * SIDE, rng.uniform(0.5, 2.5, COUNT)
    velocities = rng.normal(size=(COUNT, 2)) * 0.3
    world = hexphase.World(wrap=(SIDE, SIDE))
    world.insert(np.hstack([positions - radii[:, None], positions + radii[:, None]]))
    for _ in range(ticks):
        touching = tick(world, positions, velocities, radii)
    orange = np.isin(np.arange(COUNT), touching)
    axes = pyplot.figure(figsize=(6, 6)).add_axes((0, 0, 1, 1), xlim=(0, SIDE), ylim=(0, SIDE))
    for position, radius, touches in zip(positions, radii, orange):
        axes.add_patch(pyplot.Circle(position, radius, color="darkorange" if touches else "steelblue"))
    pyplot.savefig(output)
    print(f"{len(touching)} pairs touch after {ticks} ticks; state {world.state_hash():016x}")
    return world, touching


if __name__ == "__main__":
    main(*sys.argv[1:])
