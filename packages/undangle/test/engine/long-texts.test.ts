import type { AssembledTurn, StreamPart } from "#core";
import { createAgent } from "#engine";
import type { AgentEvent, Run } from "#engine";
import type { Model } from "#model";
import { describe, expect, test } from "vitest";

const pieces = Array.from({ length: 200_000 }, (_, i) => `${i} `);
const text = pieces.join("");

const turn: AssembledTurn = {
  text,
  reasoning: "",
  calls: [],
  parts: [{ type: "text", text }],
  finish: "stop",
  complete: true,
  anomalies: [],
  usage: {},
};

/** A model that says one very long thing in very short pieces. */
const talkative: Model = {
  name: "talkative",
  stream: () => ({
    turn: () => Promise.resolve(turn),
    turns: () => Promise.resolve([turn]),
    async *[Symbol.asyncIterator](): AsyncGenerator<StreamPart, undefined, undefined> {
      for (const piece of pieces) yield { type: "text-delta", choice: 0, text: piece };
      yield { type: "finish", choice: 0, turn };
    },
  }),
};

async function eventsOf(run: Run): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

const spoken = (events: readonly AgentEvent[]): string =>
  events.map((event) => (event.type === "text_delta" ? event.data.text : "")).join("");

describe("a run that says very much", () => {
  test("keeps its text and not its pieces when nobody reads along, and tells it again", async () => {
    const run = createAgent({ model: talkative }).thread("t").send("Go.");
    await run.result;
    const events = await eventsOf(run);
    expect(events.length).toBeLessThan(2000);
    expect(spoken(events)).toBe(text);
    expect(events.at(-1)?.type).toBe("run_end");
  });

  test("tells one who reads along every piece, and one who reads again the same text", async () => {
    const run = createAgent({ model: talkative }).thread("t").send("Go.");
    const live = await eventsOf(run);
    expect(live.filter(({ type }) => type === "text_delta")).toHaveLength(pieces.length);
    const again = await eventsOf(run);
    expect(again.length).toBeLessThan(2000);
    expect(spoken(again)).toBe(text);
  });

  test("is gone on with behind any event of the replay", async () => {
    const thread = createAgent({ model: talkative }).thread("t");
    const run = thread.send("Go.");
    await run.result;
    const events = await eventsOf(run);
    for (const place of [10, 400, events.length - 2]) {
      const seen = events.slice(0, place);
      const rest: AgentEvent[] = [];
      for await (const event of thread.events({ after: seen.at(-1)?.id ?? 0 })) {
        rest.push(event);
        if (event.type === "run_end") break;
      }
      expect(spoken([...seen, ...rest])).toBe(text);
    }
  });
});
