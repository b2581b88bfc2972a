// Tests of the package in Node: `npm test`. Each module is tested by a process of its own.

import assert from "node:assert/strict";
import { test } from "node:test";

import { findPairs, load, Simulation, World } from "./index.js";

/** Defines the tests of one module. */
export async function testModule(simd) {
  await load({ simd });

  test("pairs begin and end", () => {
    const world = new World();
    const ids = world.insert(new Float32Array([0, 0, 2, 2, 1, 1, 3, 3, 8, 8, 9, 9]));
    assert.deepEqual([...ids], [0, 1, 2]);
    world.step();
    assert.deepEqual([...world.began()], [0, 1]);
    world.setBounds(new Float32Array([0, 0, 2, 2, 7, 7, 9, 9, 8, 8, 9, 9]));
    world.step();
    assert.deepEqual([...world.began()], [1, 2]);
    assert.deepEqual([...world.ended()], [0, 1]);
    assert.deepEqual([...world.pairs()], [1, 2]);
    world.setBoundsOf(new Uint32Array([2]), new Float32Array([0, 0, 1, 1]));
    world.remove(new Uint32Array([1]));
    world.step();
    assert.deepEqual([...world.pairs()], [0, 2]);
    assert.equal(world.length, 2);
    assert.deepEqual([...world.insert(new Float32Array([5, 5, 6, 6]))], [1], "numbers are used again");
  });

  test("static objects form no pairs", () => {
    const world = new World("hshg");
    const ids = world.insert(new Float32Array([0, 0, 2, 2, 1, 1, 3, 3]));
    world.setStatic(ids, true);
    world.step();
    assert.equal(world.pairs().length, 0);
    world.setStatic(ids.subarray(1), false);
    world.step();
    assert.deepEqual([...world.began()], [0, 1]);
  });

  test("queries, nearest objects and casts", () => {
    const world = new World("auto", 100, 100);
    world.insert(new Float32Array([10, 10, 12, 12, 20, 20, 22, 22, 99, 50, 101, 52]));
    assert.deepEqual([...world.query(11, 11, 21, 21)], [0, 1]);
    assert.deepEqual([...world.query(0, 50, 1, 51)], [2], "across the side of a world that wraps");
    const near = world.nearest(13, 11, 2);
    assert.deepEqual([...near.ids], [0, 1]);
    assert.equal(near.distances[0], 1);
    const hits = world.cast(0, 0, 40, 40);
    assert.deepEqual([...hits.ids], [0, 1]);
    assert.deepEqual([...hits.fractions], [0.25, 0.5]);
  });

  test("pairs of random boxes are those of brute force", () => {
    const count = 300;
    let state = 1;
    const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
    const boxes = new Float32Array(count * 4);
    for (let i = 0; i < count; i++) {
      boxes[4 * i] = random() * 100;
      boxes[4 * i + 1] = random() * 100;
      boxes[4 * i + 2] = boxes[4 * i] + random() * 8;
      boxes[4 * i + 3] = boxes[4 * i + 1] + random() * 8;
    }
    const expected = [];
    for (let a = 0; a < count; a++) {
      for (let b = a + 1; b < count; b++) {
        const [p, q] = [boxes.subarray(4 * a), boxes.subarray(4 * b)];
        if (p[0] <= q[2] && q[0] <= p[2] && p[1] <= q[3] && q[1] <= p[3]) {
          expected.push(a, b);
        }
      }
    }
    assert.ok(expected.length > 400);
    assert.deepEqual([...findPairs(boxes)], expected);
    for (const structure of ["auto", "hshg", "brute"]) {
      const world = new World(structure);
      world.insert(boxes);
      world.step();
      assert.deepEqual([...world.pairs()], expected, structure);
    }
  });

  test("a snapshot restores the state", () => {
    const world = new World();
    world.insert(new Float32Array([0, 0, 2, 2, 1, 1, 3, 3]));
    world.step();
    const [saved, hash] = [world.snapshot(), world.stateHash()];
    world.remove(new Uint32Array([0]));
    world.step();
    assert.notEqual(world.stateHash(), hash);
    world.restore(saved);
    assert.equal(world.stateHash(), hash);
    world.remove(new Uint32Array([0, 1]));
    assert.equal(world.length, 0);
    assert.throws(() => world.restore(saved.subarray(1)));
    assert.equal(world.length, 0);
  });

  test("errors are thrown and change nothing", () => {
    assert.throws(() => new World("tree"), /unknown structure tree; the structures are auto/);
    assert.throws(() => new World("auto", -1, 1));
    const world = new World();
    const ids = world.insert(new Float32Array([0, 0, 2, 2, 1, 1, 3, 3]));
    const hash = world.stateHash();
    assert.throws(() => world.insert(new Float32Array([0, 0, 1])), /4 numbers each, 3 are given/);
    assert.throws(() => world.insert(new Float32Array([0, 0, 1, 1, 0, 0, NaN, 1])));
    assert.throws(() => world.setBounds(new Float32Array(4)), /4 numbers for 2 objects, not 8/);
    assert.throws(() => world.setBoundsOf(ids, new Float32Array([0, 0, 1, 1, 2, 2, 1, 1])), /box 1/);
    assert.throws(() => world.remove(new Uint32Array([0, 9])), /object 9 does not exist/);
    assert.throws(() => world.query(1, 1, 0, 0));
    assert.throws(() => world.nearest(NaN, 0, 1));
    assert.throws(() => world.cast(0, 0, Infinity, 0));
    assert.throws(() => findPairs(new Float32Array([1, 1, 0, 0])));
    assert.equal(world.stateHash(), hash);
  });

  // The hashes of the Rust program: `tests/all.rs`.
  test("500 ticks of the simulation have the hash of other machines", () => {
    for (const [sizes, wraps, hash] of [
      ["equal", false, "8e0ce1d0a75f6eac"],
      ["mixed", true, "c1a1895f3e652d68"],
      ["tail", true, "eab9bf6b0cbf64f2"],
    ]) {
      const simulation = new Simulation(7, 1000, "auto", sizes, 0.5, 0.1, wraps);
      for (let tick = 0; tick < 500; tick++) {
        simulation.advance();
        simulation.step();
        simulation.bounce();
      }
      assert.equal(simulation.hash(), hash, sizes);
    }
  });
}
