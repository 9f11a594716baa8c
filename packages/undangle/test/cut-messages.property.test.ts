import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutMessages, decode, mendMessages, outlineMessages } from "#codecs";
import type { Message } from "#codecs";
import { findCuts } from "#core";
import { generate } from "./judge/generate.ts";
import { formats } from "./judge/subjects.ts";

const timeout = 120_000;

const conversations = fc
  .record({ format: fc.constantFrom(...formats), seed: fc.nat(), size: fc.integer({ min: 1, max: 8 }) })
  .map(({ format, seed, size }) => {
    const { messages } = decode(generate(format, seed, size), { from: format }).conversation;
    return mendMessages(messages).messages; // with distinct ids, as in the requests of an agent
  });

const summary: Message = {
  role: "user",
  path: "",
  name: undefined,
  parts: [{ type: "text", path: "", text: "A summary." }],
};

describe("A conversation that middleware cuts", () => {
  test("has every call with its result before any repair, and loses only what is removed", { timeout }, () => {
    fc.assert(
      fc.property(conversations, fc.nat({ max: 10 }), fc.boolean(), (messages, size, byTokens) => {
        const keep = byTokens ? { tokens: size * 40 } : { messages: size };
        const { kept, removed, cut } = cutMessages(messages, { keep });
        expect(mendMessages(kept).edits).toEqual([]);
        const gone = new Set(removed);
        expect(kept).toEqual(messages.filter((message) => !gone.has(message)));
        expect(kept.length + removed.length).toBe(messages.length);
        expect(cut !== undefined || kept === messages).toBe(true);
        const lastUser = messages.findLast(({ role }) => role === "user");
        expect(lastUser === undefined || kept.includes(lastUser)).toBe(true);
      }),
    );
  });

  test("has them after a cut before any turn, with a summary in front", { timeout }, () => {
    fc.assert(
      fc.property(conversations, (messages) => {
        const { users, turns } = findCuts(outlineMessages(messages));
        for (const at of [...users, ...turns]) {
          const view = [summary, ...messages.slice(at)];
          expect(mendMessages(view).edits).toEqual([]);
        }
      }),
    );
  });
});
