import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";

import { createKeyboard } from "./keyboard.ts";
import type { Key } from "./keys.ts";

let keys: Key[] = [];
const keyboard = createKeyboard((pressed) => keys.push(...pressed));
afterEach(() => {
  keys = [];
  keyboard.close();
});

test("Ctrl-C ends a paste whose end was lost, and nothing else; what was pasted is kept", () => {
  keyboard.typed("\u001B[200~one\rtwo");
  keyboard.typed("x\r");
  expect(keys).toEqual([]);
  keyboard.typed("\u0003");
  expect(keys).toEqual([{ type: "paste", text: "one\ntwox\n" }]);
  keyboard.typed("\u0003");
  expect(keys.at(-1)).toEqual({ type: "press", name: "ctrl-c" });
});

test("a paste may take its time", async () => {
  keyboard.typed("\u001B[200~one\r");
  await pause(100);
  keyboard.typed("two\r\u001B[201~");
  expect(keys).toEqual([{ type: "paste", text: "one\ntwo\n" }]);
});

test("an escape character with nothing behind it is the Escape key", async () => {
  keyboard.typed("\u001B");
  expect(keys).toEqual([]);
  await pause(100);
  expect(keys).toEqual([{ type: "press", name: "escape" }]);
});
