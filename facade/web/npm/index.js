// Loads the WebAssembly module: the one with SIMD instructions, or, where the machine lacks them,
// the one without.

import init, { initSync } from "./glue.js";

export { findPairs, Hits, Neighbors, Simulation, World } from "./glue.js";

// A module with one instruction of SIMD: a function that makes a vector and drops it.
const SIMD = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 65, 0, 253, 15, 26, 11,
]);

/** Returns whether the machine has the SIMD instructions of WebAssembly. */
export function hasSimd() {
  return WebAssembly.validate(SIMD);
}

/**
 * Loads the module, which must be done once, before the first world is created.
 *
 * `simd: false` selects the module without SIMD. `bytes` are the bytes of a module that was read
 * in another way. Returns the memory of the module.
 */
export async function load({ simd = hasSimd(), bytes } = {}) {
  if (bytes !== undefined) {
    return initSync({ module: bytes }).memory;
  }
  const url = new URL(simd ? "simd.wasm" : "plain.wasm", import.meta.url);
  if (url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return initSync({ module: await readFile(url) }).memory;
  }
  return (await init({ module_or_path: url })).memory;
}
