import fc from "fast-check";
import { check, cutPoints, estimateTokens, trim } from "undangle";
import { describe, expect, test } from "vitest";
import { codecs } from "../src/codecs/formats.ts";
import { generate, messagesOf } from "./judge/generate.ts";
import { judge } from "./judge/judge.ts";
import type { Court, Format } from "./judge/judge.ts";
import { distort } from "./judge/mutate.ts";
import { formats, subjects } from "./judge/subjects.ts";

const timeout = 120_000;

interface Case {
  readonly body: object;
  readonly format: Format;
  readonly bare: boolean;
}

const healthy: fc.Arbitrary<Case> = fc
  .record({
    format: fc.constantFrom(...formats),
    seed: fc.nat(),
    size: fc.integer({ min: 1, max: 8 }),
    bare: fc.boolean(),
  })
  .map(({ format, seed, size, bare }) => {
    const body = generate(format, seed, size);
    return { body, format, bare: bare && !("previous_response_id" in body) }; // its list is not valid alone
  });

const broken: fc.Arbitrary<Case> = fc
  .tuple(healthy, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }))
  .map(([given, damage]) => ({
    ...given,
    body: damage.reduce((body: unknown, each) => distort(body, given.format, each), given.body) as object, // still a body
  }));

/** The input of a case: a body, or its messages alone. */
const inputOf = ({ body, format, bare }: Case): unknown => (bare ? messagesOf(body, format) : body);

/** The same input with other messages. */
function withMessages(input: unknown, list: readonly unknown[], format: Format): unknown {
  return Array.isArray(input) ? list : { ...(input as object), [subjects[format].listKey]: list };
}

/** The system messages with which a list starts. */
function headOf(list: readonly unknown[]): readonly unknown[] {
  const end = list.findIndex((message) => !/"(?:system|developer)"/u.test(JSON.stringify(message).slice(0, 60)));
  return list.slice(0, Math.max(end, 0));
}

/** True for a list with UI messages and model messages of the AI SDK, which the rules read as a page. */
const isMixed = (list: readonly unknown[]): boolean =>
  new Set(list.map((message) => typeof message === "object" && message !== null && "parts" in message)).size > 1;

const rulesIn = (input: unknown, court: Court): readonly string[] =>
  check(input, court).map(({ rule, path }) => `${rule} ${path}`);

/** Everything that the rules or the judge refuse. */
const wrongWith = (input: unknown, court: Court): readonly unknown[] => [
  ...rulesIn(input, court),
  ...judge(input, court),
];

describe("A healthy history of any format", () => {
  test("is healthy after a cut at any cut point, with and without its system messages", { timeout }, () => {
    fc.assert(
      fc.property(healthy, (given) => {
        const { format } = given;
        const input = inputOf(given);
        const list = messagesOf(input, format);
        for (const at of cutPoints(input, { format })) {
          const rest = list.slice(at);
          expect(wrongWith(withMessages(input, rest, format), { format })).toEqual([]);
          expect(wrongWith(withMessages(input, [...headOf(list), ...rest], format), { format })).toEqual([]);
        }
      }),
    );
  });

  test("is healthy after a cut before any turn, after another user message", { timeout }, () => {
    fc.assert(
      fc.property(healthy, (given) => {
        const { format } = given;
        const input = inputOf(given);
        const list = messagesOf(input, format);
        const byThemselves = new Set(cutPoints(input, { format }));
        for (const at of cutPoints(input, { format, start: "any" })) {
          if (byThemselves.has(at)) continue;
          const rest = [subjects[format].userMessage, ...list.slice(at)];
          expect(wrongWith(withMessages(input, rest, format), { format })).toEqual([]);
        }
      }),
    );
  });

  test("is healthy after a trim to any size, and loses only what `removed` lists", { timeout }, () => {
    fc.assert(
      fc.property(healthy, fc.integer({ min: 0, max: 12 }), fc.boolean(), (given, size, byTokens) => {
        const { format } = given;
        const input = inputOf(given);
        const keep = byTokens ? { tokens: size * 40 } : { messages: size };
        const { output, removed } = trim(input, { format, keep });
        expect(wrongWith(output, { format })).toEqual([]);
        const [before, after] = [messagesOf(input, format), messagesOf(output, format)];
        const gone = new Set(removed);
        expect(after).toEqual(before.filter((message) => !gone.has(message)));
        expect(after.length + removed.length).toBe(before.length);
        expect(after.every((message) => before.includes(message))).toBe(true); // the same references
        expect(removed.length > 0 || output === input).toBe(true);
        expect(Array.isArray(output)).toBe(given.bare);
      }),
    );
  });

  test("has no more problems after a trim for any provider than before", { timeout }, () => {
    const providers = codecs["openai-chat"].providers;
    fc.assert(
      fc.property(fc.constantFrom(...providers), fc.nat(), fc.nat({ max: 9 }), (provider, seed, messages) => {
        const options = { format: "openai-chat", provider } as const;
        const body = generate("openai-chat", seed, 6);
        const { output } = trim(body, { ...options, keep: { messages } });
        expect(check(output, options).length).toBeLessThanOrEqual(check(body, options).length);
      }),
    );
  });

  test("keeps more the more may be kept", { timeout }, () => {
    fc.assert(
      fc.property(healthy, (given) => {
        const { format } = given;
        const input = inputOf(given);
        const kept = [0, 2, 5, 9, 1000].map(
          (messages) => messagesOf(trim(input, { format, keep: { messages } }).output, format).length,
        );
        expect(kept).toEqual(kept.toSorted((a, b) => a - b));
        expect(trim(input, { format, keep: { messages: 1000 } }).output).toBe(input);
      }),
    );
  });
});

describe("A broken history", () => {
  test("has no more problems after a trim, and nothing is thrown", { timeout }, () => {
    fc.assert(
      fc.property(broken, fc.integer({ min: 0, max: 8 }), (given, messages) => {
        const { format } = given;
        const input = inputOf(given);
        fc.pre(!isMixed(messagesOf(input, format)));
        const before = JSON.stringify(input);
        const { output, removed } = trim(input, { format, keep: { messages } });
        expect(JSON.stringify(input)).toBe(before);
        expect(messagesOf(output, format).length + removed.length).toBe(messagesOf(input, format).length);
        expect(check(output, { format }).length).toBeLessThanOrEqual(check(input, { format }).length);
      }),
    );
  });
});

describe("A count of tokens", () => {
  test("is asked for once per message, and decides", () => {
    const list = messagesOf(generate("openai-chat", 7, 6), "openai-chat");
    const counted: unknown[] = [];
    const { output } = trim(list, {
      format: "openai-chat",
      keep: { tokens: 30 },
      countTokens: (message) => {
        counted.push(message);
        return 10;
      },
    });
    expect(counted).toEqual(list);
    expect(output.length).toBeLessThan(list.length);
    expect(estimateTokens(list)).toBeGreaterThan(0);
  });
});
