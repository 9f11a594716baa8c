import { isDeepStrictEqual } from "node:util";
import { check } from "undangle";
import { createAgent, tool } from "undangle/agent";
import { faultNames, faults, wireServer } from "undangle/testing";
import type { FaultName, ScriptedTurn, WireRequest } from "undangle/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { families } from "./families.ts";
import type { Family } from "./families.ts";

const wanted: ScriptedTurn = {
  text: "Let me look.",
  reasoning: "Hm.",
  seal: "c2VhbGVk",
  calls: [
    { name: "find_book", arguments: { title: "Der Prozeß", year: 1925 } },
    { name: "open_file", arguments: { path: 'a "b" }{' } },
  ],
};

const inputs = [
  ["find_book", z.object({ title: z.string(), year: z.number() })],
  ["open_file", z.object({ path: z.string() })],
] as const;

/** Lets an agent talk to a model whose first answer goes wrong, and says what came of it. */
async function lived({ format, provider, make }: Family, fault: FaultName) {
  let asked = 0;
  const answered = (request: WireRequest): ScriptedTurn => {
    if (/Opened|Found|not executed/u.test(JSON.stringify(request.body))) return { text: "Done." };
    return asked++ === 0 ? { ...wanted, faults: [fault] } : wanted;
  };
  const server = await wireServer({ turns: answered, ...(provider !== undefined && { provider }) });
  const ran: unknown[] = [];
  const tools = inputs.map(([name, input]) =>
    tool({
      name,
      description: name,
      input,
      execute: (given: unknown) => {
        ran.push({ name, arguments: given });
        return name === "find_book" ? "Found." : "Opened.";
      },
    }),
  );
  const agent = createAgent({ model: make(server.baseUrl(format)), tools });
  const thread = agent.thread("t");
  const run = thread.send("Find and open it.");
  const events: string[] = [];
  for await (const { type } of run) events.push(type);
  const { status, text } = await run.result;
  const history = await thread.history("openai-chat");
  await server.close();
  return { ran, events, status, text, history, refused: server.requests.flatMap(({ refused }) => refused ?? []) };
}

const isOneOf = (call: unknown, said: readonly unknown[] = []): boolean =>
  said.some((each) => isDeepStrictEqual(each, call));

describe.each(families)("an agent with a model of $name", (family) => {
  const names = faultNames().filter((name) => faults[name].formats.includes(family.format));

  test("has faults to live through", () => {
    expect(names.length).toBeGreaterThan(8);
  });

  test.each(names)("lives through %s, and runs nothing that the model did not say", async (fault) => {
    const { ran, events, status, text, history, refused } = await lived(family, fault);
    expect(refused).toEqual([]);
    expect(status).toBe("done");
    expect(check(history, { format: "openai-chat" })).toEqual([]);
    const said = wanted.calls?.map((call) => ({ name: call.name, arguments: call.arguments }));
    const { outcome } = faults[fault];
    // Arguments that are cut off by a limit would be cut off again: the model is told, and nothing is asked twice.
    const isAgain = (outcome === "incomplete" || outcome === "error") && fault !== "length-as-tool-calls";
    const isRight = outcome === "same" || isAgain;
    expect(isRight ? ran : ran.filter((call) => !isOneOf(call, said))).toEqual(isRight ? said : []);
    expect(isRight ? text : "Done.").toBe("Done.");
    expect(events.filter((type) => type === "tool_call_end")).toHaveLength(outcome === "leaked" ? 0 : 2);
    expect(events.includes("model_discarded")).toBe(isAgain);
  });
});
