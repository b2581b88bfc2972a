// Runs a program for wasm32-wasip1 in Node: `node wasi.mjs PROGRAM ARGUMENT...`.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const args = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args, env: process.env, preopens: { "/": "/" } });
const program = await WebAssembly.compile(await readFile(args[0]));

// Symbols that Rust's standard library uses and Debian's C library lacks: the tag of unwinding, and
// functions of threads. No thread can be created: with ENOSYS, rayon uses the main thread.
const ENOSYS = 52;
const env = { __cpp_exception: new WebAssembly.Tag({ parameters: ["i32"] }) };
for (const { module, name, kind } of WebAssembly.Module.imports(program)) {
  if (module === "env" && kind === "function" && name.startsWith("pthread_")) {
    env[name] = () => (name === "pthread_create" ? ENOSYS : 0);
  }
}
process.exitCode = wasi.start(await WebAssembly.instantiate(program, { ...wasi.getImportObject(), env }));
