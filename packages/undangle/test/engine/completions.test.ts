import { createAgent, defineMiddleware, tool } from "#engine";
import type { AgentEvent, HookContext, Middleware } from "#engine";
import type { Message } from "#codecs";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { until } from "./promised.ts";

const say = (text: string): Message => ({
  role: "user",
  path: "",
  name: undefined,
  parts: [{ type: "text", path: "", text }],
});

const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

/** Asks a model outside the conversation before each request, and notes its text. */
const asking = (texts: string[], options: { readonly model?: ReturnType<typeof scriptedModel> } = {}): Middleware => ({
  name: "asking",
  wrapModelCall: (next) => async (request, context) => {
    const turn = await context.complete({ messages: [say("Count.")] }, { purpose: "summary", ...options });
    texts.push(turn.text);
    return next(request);
  },
});

async function eventsOf(run: AsyncIterable<AgentEvent>): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

describe("complete", () => {
  test("asks a model outside the conversation: events with a purpose, tokens of the run, no text", async () => {
    const texts: string[] = [];
    const other = scriptedModel([{ text: "A summary.", usage }], { name: "small" });
    const model = scriptedModel([{ text: "Hello.", usage }]);
    const agent = createAgent({ model, middleware: [asking(texts, { model: other })] });
    const run = agent.thread("t").send("Go.");
    const events = await eventsOf(run);
    const told = events.filter(({ type }) => type === "model_start" || type === "model_end");
    expect(told.map(({ type, data }) => [type, "purpose" in data ? data.purpose : undefined])).toEqual([
      ["model_start", undefined],
      ["model_start", "summary"],
      ["model_end", "summary"],
      ["model_end", undefined],
    ]);
    expect(told[1]?.data).toMatchObject({ step: 1, model: "small", purpose: "summary" });
    expect(told[2]?.data).toMatchObject({ finish: "stop", purpose: "summary", tokens: { totalTokens: 110 } });
    expect(texts).toEqual(["A summary."]);
    expect(events.flatMap(({ type, data }) => (type === "text_delta" ? [data.text] : [])).join("")).toBe("Hello.");
    expect((await run.result).usage.totalTokens).toBe(220);
    expect((await run.result).threadUsage.totalTokens).toBe(220);
    expect(other.requests[0]).toMatchObject({ tools: [], system: [] });
    expect(JSON.stringify(await agent.thread("t").export())).not.toContain("A summary.");
  });

  test("its tokens count for the limit of the run, and nothing of it counts as a step", async () => {
    const model = scriptedModel(
      [
        { text: "A summary.", usage },
        { calls: [{ name: "quick" }], usage },
      ],
      { loop: true },
    );
    const quick = tool({ name: "quick", description: "Quick.", execute: () => "done" });
    const agent = createAgent({ model, tools: [quick], middleware: [asking([])], limits: { tokens: 400 } });
    const end = await agent.thread("t").send("Go.").result;
    expect(end).toMatchObject({ status: "stopped", usage: { totalTokens: 440 } });
    expect(model.calls).toBe(4);
  });

  test("a model that fails is reported with its end, and the hook decides what to do", async () => {
    const failed: string[] = [];
    const careful = defineMiddleware({
      name: "careful",
      wrapModelCall:
        (next) =>
        async (request, { complete }) => {
          await complete({ messages: [say("Count.")] }, { purpose: "summary" }).catch((error: unknown) =>
            failed.push(String(error)),
          );
          return next(request);
        },
    });
    const model = scriptedModel([{ error: { status: 500, message: "no" } }, { text: "Hello." }]);
    const agent = createAgent({ model, middleware: [careful] });
    const run = agent.thread("t").send("Go.");
    const events = await eventsOf(run);
    expect((await run.result).text).toBe("Hello.");
    expect(failed).toHaveLength(1);
    expect(events.find(({ type, data }) => type === "model_end" && data.purpose === "summary")?.data).toMatchObject({
      finish: "error",
      purpose: "summary",
    });
  });

  test("a stop ends it, even if the model ignores its signal", async () => {
    const model = {
      ...scriptedModel([]),
      name: "deaf",
      stream: () => ({
        turn: () => new Promise<never>(() => undefined),
        // oxlint-disable-next-line require-yield -- it never yields
        async *[Symbol.asyncIterator](): AsyncGenerator<never> {
          await new Promise(() => undefined);
        },
      }),
    };
    let isStopped = false;
    const waiting = defineMiddleware({
      name: "waiting",
      wrapModelCall:
        (next) =>
        async (request, { complete }) => {
          try {
            await complete({ messages: [say("Count.")] }, { purpose: "summary", model });
          } finally {
            isStopped = true;
          }
          return next(request);
        },
    });
    const agent = createAgent({ model: scriptedModel([{ text: "Hello." }]), middleware: [waiting] });
    const run = agent.thread("t").send("Go.");
    for await (const { type, data } of run) if (type === "model_start" && data.purpose !== undefined) void run.stop();
    expect((await run.result).status).toBe("stopped");
    await until(() => isStopped);
  });
});

describe("entryOf", () => {
  /** Notes the entries of each request, after another hook has changed its messages. */
  const noting = (notes: (readonly (number | undefined)[])[], contexts: HookContext[] = []): readonly Middleware[] => [
    {
      name: "changing",
      beforeModel: (request) => ({
        ...request,
        messages: [say("Inserted."), ...request.messages.map((message) => ({ ...message }))],
      }),
    },
    {
      name: "noting",
      wrapModelCall: (next) => (request, context) => {
        notes.push(request.messages.map((message) => context.entryOf(message)?.number));
        contexts.push(context);
        return next(request);
      },
    },
  ];
  const quick = tool({ name: "quick", description: "Quick.", execute: () => "done" });
  const script = [{ calls: [{ name: "quick" }] }, { text: "Done." }, { text: "More." }];

  test("names the entry of a message, also of a copy, and of none that a hook added", async () => {
    const notes: (readonly (number | undefined)[])[] = [];
    const agent = createAgent({ model: scriptedModel(script), tools: [quick], middleware: noting(notes) });
    await agent.thread("t").send("Go.").result;
    expect(notes).toEqual([
      [undefined, 0],
      [undefined, 0, 1, 1],
    ]);
  });

  test("is the same after a restart, a fork and a regenerated turn", async () => {
    let time = 0;
    const store = memoryStore();
    const open = (notes: (readonly (number | undefined)[])[], contexts: HookContext[] = []) =>
      createAgent({
        model: scriptedModel([{ text: "Again." }, { text: "Once more." }]),
        tools: [quick],
        middleware: noting(notes, contexts),
        store,
        now: () => ++time,
      });
    const first = createAgent({ model: scriptedModel(script), tools: [quick], store, now: () => ++time });
    await first.thread("t").send("Go.").result;
    await first.close();
    const notes: (readonly (number | undefined)[])[] = [];
    const contexts: HookContext[] = [];
    const agent = open(notes, contexts);
    const thread = agent.thread("t");
    await thread.regenerate().result;
    expect(notes).toEqual([[undefined, 0, 1, 1]]); // entry 2 is retracted by entry 3
    const exported = await thread.export();
    const dates = exported.entries.map(({ entry }) => (entry as { readonly at: number }).at);
    expect(dates.map((at, number) => contexts[0]?.hasEntry({ number, at }))).toEqual(dates.map(() => true));
    const fork = await thread.fork(1);
    await fork.send("And now?").result;
    expect(notes[1]).toEqual([undefined, 0, 1, 1, 2]);
    expect(contexts[1]?.hasEntry({ number: 1, at: dates[1] ?? 0 })).toBe(true);
    expect(contexts[1]?.hasEntry({ number: 2, at: dates[2] ?? 0 })).toBe(false); // another entry has that number
    expect(contexts[1]?.hasEntry({ number: 9, at: 9 })).toBe(false);
  });
});

test("afterSummary gives the texts of all middleware in their order", async () => {
  const texts: (readonly string[])[] = [];
  const reading = defineMiddleware({
    name: "reading",
    wrapModelCall:
      (next) =>
      (request, { afterSummary }) => {
        texts.push(afterSummary());
        return next(request);
      },
  });
  const first: Middleware = { name: "first", afterSummary: () => "One." };
  const silent: Middleware = { name: "silent", afterSummary: () => undefined };
  const counting = defineMiddleware({
    name: "counting",
    state: { initial: { count: 0 } },
    beforeAgent: ({ state }) => state.update({ count: 7 }),
    afterSummary: ({ state }) => `Count: ${state.get().count}`,
  });
  const agent = createAgent({
    model: scriptedModel([{ text: "Hello." }]),
    middleware: [first, reading, silent, counting],
  });
  await agent.thread("t").send("Go.").result;
  expect(texts).toEqual([["One.", "Count: 7"]]);
});

test("a hook that writes a file while the model is asked does not add a queued message before the response", async () => {
  const thread = () => agent.thread("t");
  let isQueued = false;
  const writing = defineMiddleware({
    name: "writing",
    wrapModelCall:
      (next) =>
      async (request, { files }) => {
        if (!isQueued) {
          isQueued = true;
          void thread().send("And this?", { onInput: "queue" });
          await until(async () => (await thread().export()).queue.length === 1);
          await files.write([{ path: "/note", data: new Uint8Array() }]);
        }
        return next(request);
      },
  });
  const model = scriptedModel([{ text: "First." }, { text: "Second." }]);
  const agent = createAgent({ model, middleware: [writing], onInput: "queue" });
  await thread().send("Go.").result;
  await until(() => model.calls === 2);
  expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
});
