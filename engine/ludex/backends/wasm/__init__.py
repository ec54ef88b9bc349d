"""The WebAssembly back end: one module per program, from the same IR as the interpreter.

`asm` writes the binary form and knows nothing of ludex; `plan` decides where everything lies;
`emitter` and the files it dispatches to turn IR into instructions; `host` and `cache` run a
module with wasmtime; `machine` is the interface. May import: `ir`, `typed`, `limits`, `rng`,
`backends.machine`, and the interpreter, which answers what speed does not matter for.
"""
