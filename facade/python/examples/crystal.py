"""Coordination numbers and bonds of a periodic crystal: rock salt with a table of cutoffs."""

import numpy as np

import hexphase

SODIUM, CHLORINE = 0, 1


def rock_salt(cells, side=5.64):
    corner = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]) / 2
    basis = np.vstack([corner, corner + [0.5, 0, 0]])
    offsets = np.stack(np.meshgrid(*[np.arange(cells)] * 3, indexing="ij"), axis=-1).reshape(-1, 1, 3)
    positions = ((offsets + basis) * side).reshape(-1, 3)
    species = np.tile(np.repeat([SODIUM, CHLORINE], 4), cells**3)
    return positions, species, np.eye(3) * cells * side


def main(cells=4):
    positions, species, cell = rock_salt(cells)
    positions += np.random.default_rng(5).normal(size=positions.shape) * 0.05
    bonds = [[np.nan, 3.3], [3.3, np.nan]]  # only of sodium and chlorine
    i, j, d = hexphase.neighbor_list("ijd", positions, bonds, cell, pbc=True, species=species)
    coordination = np.bincount(i, minlength=len(positions))
    print(f"{len(positions)} atoms, {len(i) // 2} bonds of {d.mean():.3f} ± {d.std():.3f}")
    print("coordination numbers:", *np.unique(coordination, return_counts=True))

    # The sum of the angles between bonds needs vectors, by atom: compressed rows.
    offsets, vectors = hexphase.neighbor_list("D", positions, bonds, cell, True, species=species, csr=True)
    six = vectors[offsets[0] : offsets[1]] / np.linalg.norm(vectors[offsets[0] : offsets[1]], axis=1)[:, None]
    print("cosines of the bonds of atom 0:", np.round(np.sort((six @ six.T)[0]), 2))
    return coordination, d


if __name__ == "__main__":
    main()
