import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { allowanceFromDecision, argumentsDigest, findAllowance } from "./allowances.ts";
import { decisionTexts } from "./decision-texts.ts";

const digest = (raw: string): string | undefined => argumentsDigest("pay", raw);

describe("the digest of arguments", () => {
  test("is the same for whatever means the same", () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== "object" || value === null) return value;
      const copy: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
      for (const [key, each] of Object.entries(value).toReversed()) copy[key] = shuffled(each);
      return copy;
    };
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(digest(JSON.stringify(shuffled(value), undefined, 2))).toBe(digest(JSON.stringify(value)));
      }),
    );
  });

  test("is another for whatever means something else", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()), (a, b) => {
        const [one, other] = [a, b].map((value) => JSON.parse(JSON.stringify(value)) as unknown);
        fc.pre(!deepSame(one, other));
        expect(digest(JSON.stringify(one))).not.toBe(digest(JSON.stringify(other)));
      }),
    );
  });

  test.each([
    ['{"n":1e400}', '{"n":null}'],
    ['{"n":1e400}', '{"n":-1e400}'],
    ['{"n":0}', '{"n":-0}'],
    ['{"n":1}', '{"n":"1"}'],
    ['{"n":"[1]"}', '{"n":[1]}'],
    ['{"__proto__":{"a":1}}', "{}"],
    ['{"a":{"b":1},"c":2}', '{"a":{"b":1,"c":2}}'],
    ['{"a":["b,c"]}', '{"a":["b","c"]}'],
  ])("is not the same for %s and %s", (one, other) => {
    expect(digest(one)).not.toBe(digest(other));
  });

  test("is that of the tool too, and there is none for what cannot be read", () => {
    expect(argumentsDigest("pay", "{}")).not.toBe(argumentsDigest("delete", "{}"));
    expect([digest("{"), digest("")]).toEqual([undefined, undefined]);
  });
});

test("what holds for the whole tool comes before what holds for some arguments, and arguments that nobody can tell wait", () => {
  const base = { tool: "pay", call: "call_1", at: 1 };
  const some = { ...base, id: "some", digest: digest('{"n":1}') ?? "" };
  const all = { ...base, id: "all" };
  const deep = `{"n":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  expect(findAllowance([some, all], { name: "pay", raw: '{"n":1}' }, "thread")?.id).toBe("all");
  expect(findAllowance([some], { name: "pay", raw: '{ "n": 1 }' }, "thread")?.id).toBe("some");
  expect(findAllowance([some], { name: "pay", raw: deep }, "thread")).toBeUndefined();
  expect(findAllowance([all], { name: "pay", raw: deep }, "agent")).toEqual({ id: "all", scope: "agent", at: 1 });
  expect(findAllowance([some, all], { name: "delete", raw: '{"n":1}' }, "thread")).toBeUndefined();
});

test("arguments that nobody can tell again cannot be allowed, but their tool can", () => {
  const raw = `{"n":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const gate = { digest: "", decisions: ["approve"] as const, always: ["thread"] as const };
  const call = { id: "call_1", name: "pay", raw, gate, at: 1, agent: undefined, texts: decisionTexts.en.always };
  expect(allowanceFromDecision({ match: "arguments" }, call)).toBe(
    "its arguments are nested too deeply to be matched later",
  );
  expect(allowanceFromDecision(true, call)).toMatchObject({
    scope: "thread",
    match: "tool",
    allowance: { tool: "pay" },
  });
});

const deepSame = (one: unknown, other: unknown): boolean => {
  try {
    expect(one).toStrictEqual(other);
    return true;
  } catch {
    return false; // the values differ
  }
};
