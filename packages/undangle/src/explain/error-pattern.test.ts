import { expect, test } from "vitest";
import { errorPattern, matchAt } from "./error-pattern.ts";
import { errorWords } from "./normalise-error.ts";

/** True if the text contains the pattern. */
function stands(pattern: string, text: string): boolean {
  const compiled = errorPattern(pattern);
  const words = errorWords(text);
  return compiled !== undefined && words.some((_, start) => matchAt(compiled, words, start) !== undefined);
}

test.each<readonly [pattern: string, text: string, expected: boolean]>([
  ["role 'tool' must", "messages with role `TOOL` must be", true],
  ["role 'tool' must", "role of a tool must", false],
  ["messages[2].id: too long", "messages[31].id: too long", true],
  ["messages[2].id: too long", "messages.id: too long", true],
  ["messages[2].id: too long", "messages[2].content[1].id: too long", false],
  ["input[N].output", "input[4].output", true],
  ["found for call_…. Sorry", "found for call_a-b-c-d. Sorry", true],
  ["id # is unknown", "id functions.bash:0 is unknown", true],
  ["id # is unknown", "id a b c d e f g h i is unknown", false],
  ["values are … last", `values are ${"x, ".repeat(40)} last`, true],
  ["values are … last", `values are ${"x, ".repeat(41)} last`, false],
  ["Missing parameter: 'input'.", "Missing parameter: 'input'.", true],
  ["Missing parameter: 'input'.", "Missing parameter: 'input[0].text'.", false],
  ["Missing parameter: 'input[0].#", "Missing parameter: 'input[0].text'.", true],
  ["^Exception", "Exception", true],
  ["^Exception", "Exception: too long", false],
  ["^Exception", "An Exception", false],
])("%j in %j: %j", (pattern, text, expected) => {
  expect(stands(pattern, text)).toBe(expected);
});

test("a text without fixed words is no pattern", () => {
  expect(errorPattern("… 42 call_1 #")).toBeUndefined();
});
