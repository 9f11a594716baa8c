import { createAgent, tool } from "#engine";
import { fallback } from "#model";
import { memoryStore } from "#store";
import { wireServer } from "#testing";
import type { ScriptedTurn, WireServer } from "#testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

import { faultsOf } from "../engine/health.ts";
import { eventsOf } from "../engine/recorded.ts";
import { aiSdkFamilies, modelOf } from "./ai-sdk-families.ts";
import { families } from "./families.ts";

const kinds = [
  ...families.map(({ name, format, make }) => ({ name, format, make: (url: string) => make(url, { retries: 0 }) })),
  ...aiSdkFamilies.map((family) => ({
    name: `AI SDK ${family.name}`,
    format: family.format,
    make: (url: string) => modelOf(family, url, { retries: 0 }),
  })),
];

const pairs = kinds.map((first, i) => {
  const second = kinds[(i + 2) % kinds.length] ?? first; // one that speaks otherwise
  return { name: `${first.name} → ${second.name}`, first, second };
});

const ran: unknown[] = [];
const find = tool({
  name: "find",
  description: "Finds.",
  input: z.object({ title: z.string() }),
  execute: (given) => {
    ran.push(given);
    return "found";
  },
});

/** A server whose answers are taken from a list that a test fills. */
const openServer = async (turns: ScriptedTurn[]): Promise<WireServer> =>
  wireServer({ turns: () => turns.shift() ?? { error: { status: 503, message: "Down." } } });

describe("a fallback from one provider to another", () => {
  test.each(pairs)("takes over in the middle of a turn and goes back later: $name", async ({ first, second }) => {
    ran.length = 0;
    const seal = (format: string): string => (format === "openai-responses" ? "gAAAAABsealed" : "c2VhbGVk");
    const calls = (title: string) => [{ name: "find", arguments: { title } }];
    const thought = { reasoning: "Let me think.", text: "I look." };
    const ones: ScriptedTurn[] = [{ ...thought, seal: seal(first.format), calls: calls("a") }];
    const others: ScriptedTurn[] = [];
    const [one, other] = [await openServer(ones), await openServer(others)];
    let at = 0;
    const model = fallback(first.make(one.baseUrl(first.format)), second.make(other.baseUrl(second.format)), {
      coolDown: 1000,
      now: () => at,
    });
    const store = memoryStore();
    const thread = createAgent({ model, tools: [find], store }).thread("t");
    ones.push({ ...thought, text: "Half an answer", calls: calls("never"), faults: ["cut"] });
    others.push({ ...thought, seal: seal(second.format), calls: calls("b") }, { text: "Done." }, { text: "Again." });
    const run = thread.send("Find a and b.");
    expect(await run.result).toMatchObject({ status: "done", text: "Done." });
    const events = await eventsOf(run);
    expect(events.filter(({ type }) => type === "model_discarded")).toHaveLength(1);
    const answering = events.flatMap(({ type, data }) => (type === "model_end" && "model" in data ? [data.model] : []));
    expect(new Set(answering).size).toBe(first.name === second.name ? 1 : 2);
    expect(await thread.send("Again.").result).toMatchObject({ status: "done", text: "Again." });
    const resting = one.requests.length;
    at = 5000;
    ones.push({ ...thought, calls: calls("c") }, { text: "Back." });
    expect(await thread.send("And c.").result).toMatchObject({ status: "done", text: "Back." });
    expect(one.requests.length - resting).toBe(2);
    expect(ran).toEqual([{ title: "a" }, { title: "b" }, { title: "c" }]);
    expect([...one.requests, ...other.requests].flatMap(({ refused }) => refused ?? [])).toEqual([]);
    expect(await faultsOf(store)).toEqual([]);
    await Promise.all([one.close(), other.close()]);
  });
});
