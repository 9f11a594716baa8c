import { formats } from "#codecs";
import { isRecord, UndangleError } from "#core";
import { createAgent, image, tool } from "#engine";
import type { Agent } from "#engine";
import { scriptedModel } from "#testing";
import { expect, test } from "vitest";

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
const draw = tool({ name: "draw", description: "Draws.", execute: () => image("data:image/png;base64,AAAA") });

const agentOf = (): Agent =>
  createAgent({
    model: scriptedModel([
      { calls: [{ name: "pay" }, { name: "draw" }] },
      { text: "Done." },
      { text: "Finished." },
      { calls: [{ name: "pay" }] },
    ]),
    tools: [pay, draw],
    onInput: "queue",
  });

/** An export with something of everything: media, decisions, a retraction, calls that wait and a message behind them. */
async function fullExport(): Promise<unknown> {
  const thread = agentOf().thread("t");
  await thread.send(["Pay.", image("data:image/png;base64,AAAA")]).result;
  await thread.approveAll({ by: "me" }).result;
  await thread.regenerate().result;
  await thread.send("More.").result;
  await thread.send("And then?").result;
  return thread.export();
}

/** Every place in a value, as the keys that lead to it. */
function placesIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, each]) => placesIn(each, [...path, key]))];
}

function damaged(value: unknown, [key, ...rest]: readonly string[], other: unknown): unknown {
  if (key === undefined) return other;
  if (Array.isArray(value))
    return value.map((each: unknown, i) => (String(i) === key ? damaged(each, rest, other) : each));
  return isRecord(value) ? { ...value, [key]: damaged(value[key], rest, other) } : value;
}

test("an export that is damaged anywhere is refused and leaves nothing, or is a thread that can be read", async () => {
  const whole = await fullExport();
  const surprises: string[] = [];
  let refusals = 0;
  for (const path of placesIn(whole).slice(1)) {
    for (const other of [undefined, null, -1, "x", [], {}, [null], { type: "zzz" }, { type: "text" }]) {
      const agent = agentOf();
      const thread = agent.thread("t");
      try {
        await thread.import(damaged(whole, path, other));
        await Promise.all([thread.pending(), thread.calls(), thread.state(), thread.allowed(), thread.export()]);
        for (const format of formats) await thread.history(format);
      } catch (error) {
        refusals++;
        const isRefused = error instanceof UndangleError && (await agent.store.load("t")) === undefined;
        if (!isRefused) surprises.push(`${path.join(".")} = ${JSON.stringify(other)}: ${String(error)}`);
      }
    }
  }
  expect(surprises).toEqual([]);
  expect(refusals).toBeGreaterThan(1000);
}, 60_000);
