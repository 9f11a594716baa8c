import type { Message } from "#codecs";
import { defineMiddleware } from "#engine";
import type { Middleware } from "#engine";
import { summarization } from "#middleware";
import type { ContextSize } from "#middleware";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import fc from "fast-check";
import { expect, test } from "vitest";

import { allProviders, refusals, unpaired } from "../engine/all-formats.ts";
import { createLife, deeds } from "../engine/random-life.ts";
import { summaryStage, textIn } from "./summary-stage.ts";

const timeout = process.env["FUZZ"] ? 0 : 120_000;
const runs = (numRuns: number): { readonly numRuns?: number } => (process.env["FUZZ"] ? {} : { numRuns });

/** A thread: for each message of the user, the turns with tools before the answer, by the number of their calls. */
const threads = fc.array(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 6 }), { minLength: 1, maxLength: 6 });

const sizes: fc.Arbitrary<{ readonly trigger: ContextSize; readonly keep: ContextSize }> = fc.oneof(
  fc.tuple(fc.integer({ min: 2, max: 14 }), fc.nat(12)).map(([most, keep]) => ({
    trigger: { messages: most },
    keep: { messages: Math.max(1, Math.min(keep, most - 1)) },
  })),
  fc.tuple(fc.integer({ min: 50, max: 600 }), fc.integer({ min: 1, max: 99 })).map(([most, percent]) => ({
    trigger: { tokens: most },
    keep: { tokens: Math.max(1, Math.floor((most * percent) / 101)) },
  })),
);

/** Texts that occur once in a thread. */
const tokensIn = (text: string): readonly string[] => [...text.matchAll(/\btoken\d+\b/gu)].map(([token]) => token);

/**
 * For random threads and sizes: the view is valid before any repair, the last message of the user is in it, and what is kept
 * and what is in the file are together the whole thread, each message once.
 */
test("15.4 the view is healthy before repair, and kept + summarized = all", { timeout }, async () => {
  const providers = await allProviders();
  try {
    let summaries = 0;
    const property = fc.asyncProperty(threads, sizes, fc.boolean(), async (given, size, isForked) => {
      let count = 0;
      const token = (): string => `token${++count}`;
      const turns = given.flatMap((loop) => [
        ...loop.map((calls) => ({
          text: token(),
          calls: Array.from({ length: calls }, () => ({ name: "echo", arguments: { text: token() } })),
        })),
        { text: token() },
      ]);
      const views: (readonly Message[])[] = [];
      const raws: (readonly Message[])[] = [];
      const outside: Middleware = { name: "outside", beforeModel: ({ messages }) => void raws.push(messages) };
      const inside = defineMiddleware({
        name: "inside", // after `summarization`, and before the engine repairs anything
        wrapModelCall: (next) => (request) => {
          views.push(request.messages);
          return next(request);
        },
      });
      const stage = summaryStage({ ...size, turns, agentOptions: { middleware: [outside, inside] } });
      let { thread } = stage;
      for (const [i] of given.entries()) {
        if (isForked && i === 2) thread = await thread.fork();
        for await (const { type } of thread.send(`Message ${token()}`)) expect(type).not.toBe("repair");
      }
      for (const [i, view] of views.entries()) {
        const raw = raws[i] ?? [];
        expect(unpaired(view)).toEqual([]);
        expect(refusals({ messages: view })).toEqual([]);
        expect(view.map(textIn)).toContain(textIn(raw.findLast(({ role }) => role === "user")));
        expect(tokensIn(view.map(textIn).join(" ")).length).toBe(new Set(tokensIn(view.map(textIn).join(" "))).size);
      }
      const files = await thread.files("/conversation_history/");
      const stored = await Promise.all(
        files.map(async ({ path }) => new TextDecoder().decode(await thread.readFile(path))),
      );
      const inFiles = tokensIn(stored.join(" ").replaceAll(/\{"text":"token\d+"\}/gu, () => "")); // without arguments, which results repeat
      const inView = tokensIn((views.at(-1) ?? []).map(textIn).join(" "));
      const all = tokensIn((raws.at(-1) ?? []).map(textIn).join(" "));
      expect([...inFiles, ...inView].toSorted()).toEqual([...all].toSorted());
      summaries += stage.summaries.length;
      expect(await providers.refusals({ messages: views.at(-1) ?? [] })).toEqual([]);
    });
    await fc.assert(property, runs(60));
    expect(summaries).toBeGreaterThan(30);
  } finally {
    await providers.close();
  }
});

test("15.4 also in random lives of a thread, with stops, decisions and crashes", { timeout }, async () => {
  let replaced = 0;
  const property = fc.asyncProperty(deeds, fc.nat(), sizes, async (given, seed, size) => {
    const wrong: string[] = [];
    const inside = defineMiddleware({
      name: "inside",
      wrapModelCall: (next) => (request) => {
        wrong.push(...unpaired(request.messages));
        if (textIn(request.messages[0]).includes("written by the program")) replaced++;
        return next(request);
      },
    });
    const model = scriptedModel([{ text: "They talked." }], { loop: true });
    const life = createLife(seed, memoryStore(), () => [summarization({ ...size, model, tool: true }), inside]);
    for (const deed of given) await life.act(deed);
    await life.end();
    expect(life.wrong).toEqual([]);
    expect(wrong).toEqual([]);
    for (const request of life.requests()) expect(refusals(request)).toEqual([]);
  });
  await fc.assert(property, runs(40));
  expect(replaced).toBeGreaterThan(20);
});
