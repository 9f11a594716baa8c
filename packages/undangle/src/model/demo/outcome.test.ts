import type { Result } from "#codecs";
import { causes, languages, renderNotice } from "#core";
import { describe, expect, test } from "vitest";

import { outcomeOf } from "./outcome.ts";

const resultOf = (text: string, more: Partial<Result> = {}): Result => ({
  path: "",
  id: "c1",
  name: "pay",
  parts: [{ type: "text", path: "", text }],
  isError: true,
  ...more,
});

describe.each(languages)("in %s", (language) => {
  const notices = causes.filter((cause) => cause !== "rejected");

  test.each(notices)("it knows what %s means", (cause) => {
    const text = renderNotice({ id: "c1", name: "pay" }, cause, { language });
    expect(outcomeOf(resultOf(text), "pay")).toEqual({ type: "notice", cause });
  });

  test("it knows that a person refused, and why", () => {
    const call = { id: "c1", name: "pay", reason: "too much" };
    const text = renderNotice(call, "rejected", { language });
    expect(outcomeOf(resultOf(text), "pay")).toEqual({ type: "rejected", reason: "too much" });
    const bare = renderNotice({ id: "c1", name: "pay" }, "rejected", { language });
    expect(outcomeOf(resultOf(bare), "pay")).toEqual({ type: "rejected", reason: undefined });
  });
});

test.each([
  ["an error", resultOf("No money."), { type: "failed", text: "No money." }],
  ["a result", resultOf("Paid.", { isError: false }), { type: "succeeded", text: "Paid.", media: 0 }],
  [
    "a refusal that a reader has told apart",
    resultOf("", { rejection: { reason: "no" } }),
    { type: "rejected", reason: "no" },
  ],
  [
    "a result that only speaks of one",
    resultOf('{"userRejected":false}', { isError: false }),
    { type: "succeeded", text: '{"userRejected":false}', media: 0 },
  ],
  [
    "a result with the words of a refusal, which no person said",
    resultOf('{"userRejected":true}', { isError: false }),
    { type: "succeeded", text: '{"userRejected":true}', media: 0 },
  ],
  [
    "a value",
    resultOf("", { isError: false, parts: [{ type: "value", path: "", value: { a: 1 } }] }),
    { type: "succeeded", text: '{"a":1}', media: 0 },
  ],
] as const)("it knows %s", (_title, result, expected) => {
  expect(outcomeOf(result, "pay")).toEqual(expected);
});
