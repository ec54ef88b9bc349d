"""A module written by hand, whose functions give what WebAssembly says they do."""

from __future__ import annotations

import wasmtime

SAMPLE: bytes = bytes(wasmtime.wat2wasm("""(module
  (memory (export "memory") 2 2)
  (data (i32.const 256) "\\01\\02\\03\\04")
  (func (export "nothing"))
  (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
  (func (export "sub64") (param i64 i64) (result i64) (i64.sub (local.get 0) (local.get 1)))
  (func (export "mixed") (param i64 i32) (result i32)
    (i32.add (i32.wrap_i64 (i64.shr_u (local.get 0) (i64.const 32))) (local.get 1)))
  (func (export "wide") (param i32 i64) (result i64)
    (i64.add (i64.extend_i32_u (local.get 0)) (local.get 1)))
  (func (export "answer") (result i32) (i32.const 42))
  (func (export "copy") (memory.copy (i32.const 4096) (i32.const 1024) (i32.const 1024)))
  (func (export "put") (param i32 i32) (i32.store (local.get 0) (local.get 1)))
  (func (export "get") (param i32) (result i32) (i32.load (local.get 0)))
  (func (export "unreachable") (i32.store (i32.const 8) (i32.const 7)) unreachable)
  (func (export "divide") (param i32 i32) (result i32) (i32.div_s (local.get 0) (local.get 1)))
  (func $deep (export "deep") (param i32) (result i32)
    (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 0))
      (else (i32.add (i32.const 1) (call $deep (i32.sub (local.get 0) (i32.const 1)))))))
  ;; counts at 0 until the word at 4 is set: 1. Gives up after some seconds: 0.
  (func $spin (export "spin") (result i32) (local $left i32)
    (local.set $left (i32.const 2000000000))
    (loop $again
      (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))
      (if (i32.atomic.load (i32.const 4)) (then (return (i32.const 1))))
      (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (i32.const 0))
  (func (export "spin_then_trap") (drop (call $spin)) unreachable)
  (func $count (export "count") (param i32) (loop $again
    (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))
    (br_if $again (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))))
  (func (export "count_then_trap") (param i32) (call $count (local.get 0)) unreachable)
  (func (export "count_much_then_trap") (call $count (i32.const 300000000)) unreachable)
  (func (export "float") (param f64))
  (func (export "pair") (result i32 i32) (i32.const 1) (i32.const 2))
)"""))
COUNTER, STOP = 0, 4
"""Addresses that `spin` uses."""
