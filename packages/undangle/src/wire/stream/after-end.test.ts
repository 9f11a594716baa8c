import { expect, test } from "vitest";
import { createAfterEnd } from "./after-end.ts";

const behind = (text: string): { readonly passed: string; readonly hasMore: boolean } => {
  let hasMore = false;
  const { take } = createAfterEnd("events", { isStrict: false, onRemoved: () => (hasMore = true) });
  const chunks = [new TextEncoder().encode(text), undefined].map(take);
  return { passed: Buffer.concat(chunks).toString(), hasMore };
};

test.each([
  "event: heartbeat\ndata: {}\n\n",
  "event: Keep-Alive\ndata:\n\n",
  'data: {"type":"ping"}\n\n',
  "",
  "\n\r\n",
  ": bye\n\n",
  "id: 1\n: x\n\n",
  "data: [DONE]\n\n",
  "event: ping\ndata: {}\n\n",
  ": by",
])("%j says nothing, and passes", (text) => expect(behind(text)).toEqual({ passed: text, hasMore: false }));

test("what says something is left out, and what stands around it is not", () => {
  expect(behind(": a\n\ndata: {}\n\n: b\n\n")).toEqual({ passed: ": a\n\n: b\n\n", hasMore: true });
});

test("a comment of colons in front of something is no work", () => {
  expect(behind(`${":".repeat(10_000)}\ndata: {}\n\n`)).toEqual({ passed: "", hasMore: true });
});

test.each(["\n\n", "\r\n\r\n", "\r\r"])(
  "an event without an end is not kept, and what comes behind its end passes (%j)",
  (end) => {
    let hasMore = false;
    const { take } = createAfterEnd("events", { isStrict: false, onRemoved: () => (hasMore = true) });
    const text = (given: string): string => Buffer.from(take(new TextEncoder().encode(given))).toString();
    expect(text(`data: ${"x".repeat(2 * 1024 * 1024)}`)).toBe("");
    expect(hasMore).toBe(true);
    const passed = `x${end}: bye${end}`.split("").map(text).join("");
    expect(passed + Buffer.from(take(undefined)).toString()).toBe(`: bye${end}`);
  },
);
