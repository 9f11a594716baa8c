import { createAssembly } from "#core";
import type { Slot } from "#core";
import { expect, test } from "vitest";
import { createJoints } from "./joints.ts";

function slotWith(...fragments: readonly string[]): Slot {
  const assembly = createAssembly({ tools: undefined, knownIds: new Set(), lenient: false });
  const slot = assembly.open(assembly.choice(0));
  slot.fragments = [...fragments];
  return slot;
}

test.each([
  ["stay joined where they are an object", ["{", '"a":1}'], ["{", '"a":1}']],
  ["are parted where they are none", ["[", '"a":1}'], ["[", '"a"', ":1}"]],
])("fragments %s", (_, fragments, expected) => {
  const slot = slotWith(...fragments);
  const joints = createJoints();
  joints.note(slot, Int32Array.of(3, 6));
  joints.part();
  expect(slot.fragments).toEqual(expected);
});
