import { expect, test } from "vitest";

import { createCallPieces } from "./call-pieces.ts";
import type { CallPieces } from "./call-pieces.ts";

/** The pieces of a call that came one by one. */
function piecesOf(...fragments: readonly string[]): CallPieces {
  const slot: { readonly fragments: string[] } = { fragments: [] };
  const pieces = createCallPieces();
  for (const fragment of fragments) {
    slot.fragments.push(fragment);
    pieces.look(slot);
  }
  return pieces;
}

test.each([
  ["joined", ['{"a":', "1}"]],
  ["joined", ['{"a":', '{"a":1}}']],
  ["open", ['{"a":', '{"a":1}']],
  ["open", ['{"a":', '{"a":']],
  ["joined", ['{"a":', '{"a":1}', "}"]],
  ["joined", ['{"a":', '{"a":1', ',"b":2']],
  ["again", ['{"a":', '{"a":1', '{"a":12}']],
  ["again", ['{"a', '{"a":']],
  ["open", ["{", '{"a"']],
  ["again", ["{", '{"a"', '{"a":']],
  ["lost", ["{", '{"a"', ":1}"]],
  ["lost", ['{"a', '{"a":1}', "x"]],
  ["open", ['{"a', '":', '{"a":1}']],
  ["again", ['{"a', '":1', '{"a":1}']],
  ["joined", ['{"a', '":', '{"a":1']],
  ["open", ["{}", '{"a":', '{"a":1}']],
  ["open", ['{"a":', '{"a":1}', " "]],
  ["open", ['{"', '{":', '{"{":1}']],
  ["joined", ['{"', '{":', '{"{":1}', "}"]],
  ["encoded", ['"{', "}"]],
  ["joined", ["{}", "null"]],
] as const)("are %s: %j", (manner, fragments) => {
  expect(piecesOf(...fragments).manner()).toBe(manner);
});

test("what is certain is what both ways have", () => {
  const pieces = piecesOf("{}", '{"a":', '{"a":1');
  expect([pieces.first(), pieces.sure()]).toEqual([1, 2]);
});

test.each([
  ["again", ['{"a":', '{"a":1}']],
  ["lost", ['{"a":', '{"a":1']],
  ["joined", ['{"a":', "1"]],
] as const)("are %s when nothing more comes: %j", (manner, fragments) => {
  const pieces = piecesOf(...fragments);
  pieces.close();
  expect(pieces.manner()).toBe(manner);
});

test.each([
  ["joined", '{"a":{"a":1'],
  ["again", '{"a":1}'],
  ["encoded", '"{}x"'],
] as const)("are %s when the server says %j in their place", (manner, text) => {
  const pieces = piecesOf('{"a":', '{"a":1');
  pieces.look({ fragments: [text] });
  expect(pieces.manner()).toBe(manner);
});
