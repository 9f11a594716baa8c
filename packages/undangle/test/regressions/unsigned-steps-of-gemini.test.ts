import { check, repair } from "undangle";
import { describe, expect, test } from "vitest";

/** What a repair takes away was taken for a word of the user's, behind which steps before it need no signature. */
const sentinel = "skip_thought_signature_validator";
const says = (...names: readonly string[]): object => ({
  role: "model",
  parts: names.map((name) => ({ functionCall: { name, args: {} } })),
});
const gives = (...given: readonly unknown[]): object => ({
  role: "user",
  parts: given.map((name) => (typeof name === "string" ? { functionResponse: { name, response: { r: 1 } } } : name)),
});
const ask = { role: "user", parts: [{ text: "Hi." }] };
const nothing = [{}, null, { functionResponse: null }, { text: "" }, { thought: true }];

const cases: readonly (readonly [name: string, contents: readonly unknown[]])[] = nothing.flatMap((odd) => {
  const written = JSON.stringify(odd);
  return [
    [`${written} behind the last response`, [ask, says("f"), gives("f"), says("f", "g"), gives("f", odd)]],
    [`${written} in front of it`, [ask, says("f"), gives("f"), says("f"), gives(odd, "f")]],
    [`${written} between two steps`, [ask, says("f"), gives("f", odd), says("f"), gives("f")]],
    [`${written} in a content of its own`, [ask, says("f"), gives("f"), says("f"), gives("f"), gives(odd)]],
    [`${written} where the model is to go on`, [ask, says("f"), gives("f"), says("f"), gives(odd)]],
  ] as const;
});

describe.each(["gemini-3-pro-preview", "gemini-3.5-flash"])("%s: every step of the turn is signed", (model) => {
  test.each(cases)("%s", (_, contents) => {
    const options = { format: "gemini", model } as const;
    const { output, problems } = repair({ contents }, options);
    expect(problems).toEqual([]);
    expect(check(output, options)).toEqual([]);
    expect(repair(output, options).output).toBe(output);
    const { contents: list } = output as { readonly contents: readonly { role: string; parts: readonly object[] }[] };
    const steps = list.filter(({ role }) => role === "model");
    expect(steps).toHaveLength(2);
    for (const { parts } of steps) expect(parts[0]).toMatchObject({ thoughtSignature: sentinel });
  });
});

test("what the user says begins a turn, also beside responses", () => {
  const contents = [ask, says("f"), gives("f", { text: "Go on." })];
  expect(check({ contents }, { format: "gemini", model: "gemini-3-pro-preview" })).toEqual([]);
});
