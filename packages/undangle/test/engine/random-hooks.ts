import type { Message } from "#codecs";
import { defineMiddleware } from "#engine";
import type { Middleware } from "#engine";

import { patchToolCalls } from "../../src/middleware/patch-tool-calls.ts";

/** Numbers that look random and follow from a seed. */
function diceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d) + 0x9e37_79b9) >>> 0;
    return state >>> 3;
  };
}

/** What a careless hook does to a history. */
const mishaps: readonly ((messages: readonly Message[], dice: () => number) => readonly Message[])[] = [
  (messages, dice) => messages.slice(dice() % (messages.length + 1)),
  (messages, dice) => messages.slice(0, 1 + (dice() % Math.max(1, messages.length))),
  (messages) => messages.toReversed(),
  (messages, dice) => messages.toSorted(() => (dice() % 2) - 0.5),
  (messages) => [...messages, ...messages],
  (messages, dice) => messages.flatMap((each) => (dice() % 3 === 0 ? [each, each] : [each])),
  (messages) => messages.filter(({ role }) => role !== "tool"),
  (messages) => messages.filter(({ role }) => role !== "assistant"),
  (messages, dice) =>
    messages.map((each) => (each.role === "tool" ? { ...each, results: each.results.slice(dice() % 2) } : each)),
  (messages) => messages,
];

/** Middleware that does anything: cuts, turns round, doubles, throws, ends and goes back. */
export function randomMiddleware(seed: number): readonly Middleware[] {
  const dice = diceOf(seed);
  const made = Array.from({ length: 1 + (dice() % 4) }, (_, i) => careless(`careless ${i}`, dice));
  if (dice() % 2 === 0) made.splice(dice() % (made.length + 1), 0, patchToolCalls({ persist: dice() % 2 === 0 }));
  return made;
}

function careless(name: string, dice: () => number): Middleware {
  const mishap = mishaps[dice() % mishaps.length] ?? ((messages) => messages);
  const place = dice() % 3;
  const temper = dice() % 12; // what it does besides
  const now = (): boolean => dice() % 4 === 0;
  const mayThrow = (): void => {
    if (temper === 0 && now()) throw new Error("a hook had enough");
  };
  return defineMiddleware({
    name,
    state: { initial: { seen: 0 }, reduce: ({ seen }, more: number) => ({ seen: seen + more }) },
    beforeAgent({ state }) {
      state.update(1);
      mayThrow();
      return temper === 1 && now() ? { type: "end", text: "I end it." } : undefined;
    },
    beforeModel(request) {
      mayThrow();
      if (temper === 2 && now()) return { type: "end" };
      return place === 0 ? { ...request, messages: mishap(request.messages, dice) } : undefined;
    },
    wrapModelCall: (next) => async (request) => {
      mayThrow();
      await Promise.resolve();
      return next(place === 1 ? { ...request, messages: mishap(request.messages, dice) } : request);
    },
    wrapToolCall: (next) => (call) => {
      mayThrow();
      return temper === 3 && now() ? "in its place" : next(call);
    },
    afterModel() {
      mayThrow();
      if (temper === 4 && now()) return { type: "end", text: "Enough." };
      return temper === 5 && now() ? { type: "again", ...(now() && { message: "Once more." }) } : undefined;
    },
    afterAgent() {
      mayThrow();
      return temper === 6 && now() ? { type: "again" } : undefined;
    },
  });
}
