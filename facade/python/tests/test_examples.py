"""The programs in the folder `examples`, and the examples of the README and of the documentation."""

import doctest
import importlib.util
import pathlib
import re

import numpy as np
import pytest

import hexphase

FOLDER = pathlib.Path(__file__).parents[1]


def load(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_geodataframes():
    pytest.importorskip("geopandas")
    joined, parcels = load("geodataframes").main()
    near = parcels[parcels["distance"] <= 50.0]
    assert set(joined["parcel"]) <= set(near["parcel"]) and len(joined) > 1000


def test_discs(tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "discs.png"
    world, touching = load("discs").main(picture, 20)
    assert picture.stat().st_size > 10_000 and len(world) == 400 and len(touching) > 0


def test_crystal():
    coordination, lengths = load("crystal").main(3)
    assert (coordination == 6).all() and abs(lengths.mean() - 2.82) < 0.05


def test_packing():
    overlap, contacts = load("packing").main(20_000, 3)
    assert len(overlap) > 1000 and (overlap >= -1e-9).all() and contacts.sum() == 2 * len(overlap)


def test_documentation():
    modules = [hexphase._boxes, hexphase._world, hexphase._neighbors]
    results = [doctest.testmod(module) for module in modules]
    assert all(result.failed == 0 for result in results)
    assert sum(result.attempted for result in results) > 10


def test_readme(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (FOLDER / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 5
    names = {"np": np}
    for block in blocks:
        if "geopandas" in block and importlib.util.find_spec("geopandas") is None:
            continue
        exec(compile(block, "README.md", "exec"), names)
