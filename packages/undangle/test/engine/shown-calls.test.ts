import { createAgent, tool } from "#engine";
import type { AgentEvent, PendingCall, Rendered, ToolOptions } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test, vi } from "vitest";

import { input } from "./approval-stage.ts";

type Options = Partial<ToolOptions<typeof input>>;

/** The pending call of a tool with these options, and the warnings before it. */
async function shown(
  options: Options,
): Promise<{ readonly call: PendingCall | undefined; readonly warnings: readonly string[] }> {
  const pay = tool({ name: "pay", description: "Pays.", input, approval: true, execute: () => "paid", ...options });
  const model = scriptedModel([{ calls: [{ name: "pay", arguments: { n: 1 } }] }]);
  const agent = createAgent({ name: "clerk", model, tools: [pay] });
  const events: AgentEvent[] = [];
  const thread = agent.thread("t");
  for await (const event of thread.send("Go.")) events.push(event);
  const [call] = await thread.pending();
  const required = events.find((event) => event.type === "approval_required")?.data;
  expect(required).toEqual(call);
  return { call, warnings: events.flatMap((event) => (event.type === "warning" ? [event.data.message] : [])) };
}

describe("a pending call shows", () => {
  test("its tool, its arguments and what can be decided", async () => {
    const { call } = await shown({});
    const base = ["id", "name", "arguments", "digest", "decisions", "since", "agent", "always", "rule"];
    expect(Object.keys(call ?? {})).toEqual([...base, "description", "schema"]);
  });

  test("the title and the annotations of its tool", async () => {
    const { call } = await shown({ title: "Pay an invoice", annotations: { destructive: true } });
    expect(call).toMatchObject({ title: "Pay an invoice", annotations: { destructive: true } });
  });

  test.each<Rendered>([
    { type: "diff", path: "/f", text: "@@ -1,1 +1,1 @@\n-a\n+b" },
    { type: "command", command: "rm -rf /" },
    { type: "table", columns: ["to"], rows: [["ACME"]] },
    { type: "markdown", text: "**ACME**" },
  ])("what its tool renders: $type", async (rendered) => {
    expect((await shown({ render: async () => rendered })).call?.render).toEqual(rendered);
    expect((await shown({ render: () => rendered })).call?.render).toEqual(rendered);
  });

  test("what is rendered from the arguments and the context", async () => {
    const { call } = await shown({
      render: ({ n }, { threadId, callId, agent, language }) => ({
        type: "markdown",
        text: `${n} ${threadId} ${callId} ${agent.name} ${agent.model} ${language}`,
      }),
    });
    expect(call?.render).toEqual({ type: "markdown", text: "1 t call_1 clerk scripted en" });
  });

  test.each<[string, Options["render"], RegExp]>([
    ["throws", () => Promise.reject(new Error("no file")), /without its rendering: no file/u],
    [
      "is of no known type",
      () => JSON.parse('{"type":"image"}') as Rendered,
      /without its rendering: it is not \{ type/u,
    ],
    ["is too long", () => ({ type: "markdown", text: "x".repeat(300_000) }), /more than 200000 characters/u],
  ])("no rendering that %s, and a warning", async (_, render, message) => {
    const { call, warnings } = await shown({ render });
    expect(call).toBeDefined();
    expect(call).not.toHaveProperty("render");
    expect(warnings).toEqual([expect.stringMatching(message)]);
  });

  test("no rendering that takes more than a second, and a warning", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const made = shown({ render: async () => new Promise(() => undefined) });
      await vi.advanceTimersByTimeAsync(1_100);
      const { call, warnings } = await made;
      expect([call?.render, warnings]).toEqual([undefined, [expect.stringContaining("1000 ms")]]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("the same in another process", async () => {
    const store = memoryStore();
    const pay = (render: Options["render"]) =>
      tool({ name: "pay", description: "Pays.", input, approval: true, execute: () => "paid", render });
    const model = scriptedModel([{ calls: [{ name: "pay", arguments: { n: 1 } }] }]);
    const first = createAgent({ model, store, tools: [pay(() => ({ type: "command", command: "pay 1" }))] });
    await first.thread("t").send("Go.").result;
    await first.close();
    const second = createAgent({ model, store, tools: [pay(undefined)] });
    expect((await second.thread("t").pending())[0]?.render).toEqual({ type: "command", command: "pay 1" });
  });
});

test("a call that does not wait is not rendered", async () => {
  const render = vi.fn<() => undefined>(() => undefined);
  const pay = tool({ name: "pay", description: "Pays.", input, execute: () => "paid", render });
  const model = scriptedModel([{ calls: [{ name: "pay", arguments: { n: 1 } }] }, { text: "Done." }]);
  await createAgent({ model, tools: [pay] })
    .thread("t")
    .send("Go.").result;
  expect(render).not.toHaveBeenCalled();
});

test.each<[string, object, RegExp]>([
  ["a title that is no text", { title: 5 }, /pay\.title/u],
  ["an unknown annotation", { annotations: { safe: true } }, /pay\.annotations\.safe/u],
  ["an annotation that is no flag", { annotations: { readOnly: "yes" } }, /pay\.annotations\.readOnly/u],
  ["a rendering that is no function", { render: "diff" }, /pay\.render/u],
])("%s is refused", (_, options, message) => {
  expect(() => tool({ name: "pay", description: "Pays.", execute: () => "paid", ...options })).toThrow(message);
});
