import { expect, test } from "vitest";
import { palette, wantsColor } from "./palette.ts";

test.each([
  ["a terminal", {}, { isTTY: true, refused: false }, true],
  ["a pipe", {}, { isTTY: false, refused: false }, false],
  ["a dumb terminal", { TERM: "dumb" }, { isTTY: true, refused: false }, false],
  ["NO_COLOR", { NO_COLOR: "1" }, { isTTY: true, refused: false }, false],
  ["an empty NO_COLOR says nothing", { NO_COLOR: "" }, { isTTY: true, refused: false }, true],
  ["FORCE_COLOR into a pipe", { FORCE_COLOR: "1" }, { isTTY: false, refused: false }, true],
  ["FORCE_COLOR=0", { FORCE_COLOR: "0" }, { isTTY: true, refused: false }, false],
  ["--no-color is stronger than all", { FORCE_COLOR: "1" }, { isTTY: true, refused: true }, false],
])("%s", (_, env, situation, colored) => {
  expect(wantsColor(env, situation)).toBe(colored);
});

test("a plain palette leaves the text alone", () => {
  expect(palette(false)("red", "x")).toBe("x");
  expect(palette(true)("red", "x")).toBe("\u001B[31mx\u001B[39m");
  expect(palette(true)("red", "")).toBe("");
});
