import fc from "fast-check";
import { check, convert, repair } from "undangle";
import { describe, expect, test } from "vitest";
import { generate, lostTexts, messagesOf, textsOf } from "../judge/generate.ts";
import { judge } from "../judge/judge.ts";
import type { Format as JudgedFormat } from "../judge/judge.ts";
import { mutate } from "../judge/mutate.ts";
import { formats as judged } from "../judge/subjects.ts";
import { allFormats, isJudged, valueAt } from "./formats.ts";
import { transcript } from "./transcript.ts";
import type { WireFormat } from "./transcript.ts";

interface Case<From extends WireFormat = WireFormat> {
  readonly input: unknown;
  readonly from: From;
  readonly to: WireFormat;
}

const anyFormat = fc.constantFrom(...allFormats);

/** A healthy history in one format, and another to turn it into; formats without a generator start from a chat. */
const healthy: fc.Arbitrary<Case> = fc
  .record({ from: anyFormat, to: anyFormat, seed: fc.nat(), size: fc.integer({ min: 1, max: 5 }), bare: fc.boolean() })
  .map(({ from, to, seed, size, bare }) => {
    const start: JudgedFormat = isJudged(from) ? from : "openai-chat";
    const body = generate(start, seed, size);
    const input = bare ? messagesOf(body, start) : body;
    return { input: start === from ? input : convert(input, { from: start, to: from }).output, from, to };
  });

const damaged: fc.Arbitrary<Case<JudgedFormat>> = fc
  .record({
    from: fc.constantFrom(...judged),
    to: anyFormat,
    seed: fc.nat(),
    damage: fc.array(fc.nat(), { maxLength: 4 }),
  })
  .map(({ from, to, seed, damage }) => {
    const input = damage.reduce((body: unknown, each) => mutate(body, from, each), generate(from, seed, 3));
    return { input, from, to };
  });

function forAll<From extends WireFormat>(cases: fc.Arbitrary<Case<From>>, holds: (given: Case<From>) => void): void {
  fc.assert(fc.property(cases, holds));
}

/** What people, models and tools said: a notice of ours gives way to a result. */
const saidIn = (output: unknown, format: JudgedFormat): string[] =>
  textsOf(output, format).filter((text) => !text.startsWith("Tool call "));

const timeout = 120_000;

describe("from any format to any other", () => {
  test("nothing that was said is lost, and calls keep their results, in order", { timeout }, () => {
    forAll(healthy, ({ input, from, to }) => {
      expect(transcript(convert(input, { from, to }).output, to)).toEqual(transcript(input, from));
    });
  });

  test("and back it is the same conversation", { timeout }, () => {
    forAll(healthy, ({ input, from, to }) => {
      const there = convert(input, { from, to }).output;
      const back = convert(there, { from: to, to: from }).output;
      expect(transcript(back, from)).toEqual(transcript(input, from));
      expect(Array.isArray(back)).toBe(Array.isArray(input));
    });
  });

  test("the output is healthy, and an independent judge agrees", { timeout }, () => {
    forAll(healthy, ({ input, from, to }) => {
      const { output, problems } = convert(input, { from, to });
      expect(problems).toEqual([]);
      expect(check(output, { format: to })).toEqual([]);
      expect(isJudged(to) ? judge(output, { format: to }) : []).toEqual([]);
    });
  });

  test("the same input gives the same bytes", { timeout }, () => {
    forAll(healthy, ({ input, from, to }) => {
      const copy: unknown = JSON.parse(JSON.stringify(input));
      expect(JSON.stringify(convert(copy, { from, to }))).toBe(JSON.stringify(convert(input, { from, to })));
    });
  });

  test("every loss names a place in the input, what it is, and why", { timeout }, () => {
    forAll(healthy, ({ input, from, to }) => {
      for (const { path, what, why } of convert(input, { from, to }).losses) {
        expect([path, valueAt(input, path, from)]).not.toEqual([path, undefined]);
        expect(what).not.toBe("");
        expect(why).not.toBe("");
      }
    });
  });
});

describe("a broken history", () => {
  test("is mended on the way, and nothing that its repair keeps is lost", { timeout }, () => {
    forAll(damaged, ({ input, from, to }) => {
      const mended = repair(input, { format: from });
      fc.pre(mended.problems.length === 0);
      const { output, problems } = convert(input, { from, to });
      expect(problems.filter(({ rule }) => rule !== "no-messages")).toEqual([]); // a system message may be all there is
      expect(from === to ? output : mended.output).toEqual(mended.output);
      expect(lostTexts(saidIn(mended.output, from), output)).toEqual([]);
    });
  });

  test("every loss names a place in the broken input", { timeout }, () => {
    forAll(damaged, ({ input, from, to }) => {
      for (const { path } of convert(input, { from, to }).losses) {
        expect([path, valueAt(input, path, from)]).not.toEqual([path, undefined]);
      }
    });
  });
});
