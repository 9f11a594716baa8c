import { expect, test } from "vitest";

import { rowsOf } from "./rows.ts";
import { approvedTransfer, span } from "../trace.fixture.ts";

const shown = (rows: ReturnType<typeof rowsOf>): readonly string[] =>
  rows.map(({ span: { id }, depth, inside }) => `${"  ".repeat(depth)}${id}${inside > 0 ? ` (${inside})` : ""}`);

test("spans are a tree in the order of their start", () => {
  expect(shown(rowsOf(approvedTransfer.spans))).toEqual([
    "run1 (3)",
    "  model1",
    "  call1 (1)",
    "    wait1",
    "run2 (3)",
    "  call2 (1)",
    "    child",
    "  model2",
  ]);
});

test("spans that start together keep their order, in which one follows the other", () => {
  const spans = [
    span("run", { type: "run", start: 0, end: 3 }),
    span("model", { type: "model", start: 1, end: 1, parent: "run" }),
    span("call", { start: 1, end: 3, parent: "run" }),
  ];
  expect(shown(rowsOf(spans))).toEqual(["run (2)", "  model", "  call"]);
});

test("a closed span counts what it hides", () => {
  const rows = rowsOf(approvedTransfer.spans, new Set(["run1", "call2"]));
  expect(shown(rows)).toEqual(["run1 (3)", "run2 (3)", "  call2 (1)", "  model2"]);
  expect(rows.map(({ isClosed }) => isClosed)).toEqual([true, false, true, false]);
});

test("every span of a damaged file has one row", () => {
  const spans = [
    span("lost", { start: 0, parent: "missing" }),
    span("self", { start: 1, parent: "self" }),
    span("a", { start: 2, parent: "b" }),
    span("b", { start: 3, parent: "a" }),
  ];
  expect(shown(rowsOf(spans))).toEqual(["lost", "self", "a (1)", "  b"]);
});
