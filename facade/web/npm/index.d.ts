export { findPairs, Hits, Neighbors, Simulation, World } from "./glue.js";

/** Returns whether the machine has the SIMD instructions of WebAssembly. */
export function hasSimd(): boolean;

/**
 * Loads the module, which must be done once, before the first world is created.
 *
 * `simd: false` selects the module without SIMD. `bytes` are the bytes of a module that was read
 * in another way. Returns the memory of the module.
 */
export function load(options?: { simd?: boolean; bytes?: BufferSource }): Promise<WebAssembly.Memory>;
