// Runs a program for wasm32-wasip1 in Node: `node wasi.mjs PROGRAM ARGUMENT...`.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const args = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args, env: process.env, preopens: { "/": "/" } });
const program = await WebAssembly.compile(await readFile(args[0]));
// Symbols that Rust's standard library uses and the C library of Debian lacks. No program starts
// threads, so nothing joins them.
const env = {
  __cpp_exception: new WebAssembly.Tag({ parameters: ["i32"] }),
  pthread_detach: () => 0,
  pthread_join: () => 0,
};
wasi.start(await WebAssembly.instantiate(program, { ...wasi.getImportObject(), env }));
