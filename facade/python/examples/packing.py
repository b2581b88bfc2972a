"""Contacts in a packing of grains whose radii differ by a factor of 100."""

import numpy as np

import hexphase


def grains(count, rng):
    """Random grains that fill 60 % of a cube. Small ones are more frequent: each size has an equal volume."""
    radii = 0.05 * (1 + (100.0**-3 - 1) * rng.random(count)) ** (-1 / 3)
    side = max((4 / 3 * np.pi * (radii**3).sum() / 0.6) ** (1 / 3), 2 * radii.max())
    return rng.random((count, 3)) * side, radii, side


def relax(positions, radii, side, neighbors):
    """Push grains that overlap apart, the smaller one farther."""
    neighbors.update(positions, [side] * 3, pbc=True)
    i, j, d, vectors = neighbors.i, neighbors.j, neighbors.d, neighbors.D
    overlap = radii[i] + radii[j] - d
    push = (overlap / np.maximum(d, 1e-9))[:, None] * vectors
    weight = radii**3
    share = weight[[i, j]] / (weight[i] + weight[j])
    np.add.at(positions, i, -push * share[1][:, None])
    np.add.at(positions, j, push * share[0][:, None])
    return overlap


def main(count=200_000, steps=10):
    positions, radii, side = grains(count, np.random.default_rng(2))
    neighbors = hexphase.NeighborList(radii, skin=0.05, half=True)
    for step in range(steps):
        overlap = relax(positions, radii, side, neighbors)
        print(f"step {step}: {len(overlap)} contacts, mean overlap {overlap.mean():.4f}")
    contacts = np.bincount(neighbors.i, minlength=count) + np.bincount(neighbors.j, minlength=count)
    print(f"the largest grain has {contacts[radii.argmax()]} contacts")
    return overlap, contacts


if __name__ == "__main__":
    main()
