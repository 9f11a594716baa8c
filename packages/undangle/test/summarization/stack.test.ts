import { createAgent, tool } from "#engine";
import type { AgentEvent, Middleware } from "#engine";
import { filesystem, patchToolCalls, reduction, summarization } from "#middleware";
import { scriptedModel } from "#testing";
import type { ScriptedTurn } from "#testing";
import { describe, expect, test } from "vitest";

import { allProviders, refusals } from "../engine/all-formats.ts";
import { longTool, textIn } from "./summary-stage.ts";

const summarizer = () => scriptedModel([{ text: "They talked." }], { loop: true });

async function eventsOf(run: AsyncIterable<AgentEvent>): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

describe("summarization in a stack", () => {
  test("with files, reduction and repaired calls: valid requests, no repairs, and the model reads its history", async () => {
    const step = (i: number): ScriptedTurn => ({
      text: `Step ${i}.`,
      calls: [
        { name: "write_file", arguments: { file_path: `/f${i}.txt`, content: `content ${i} `.repeat(300) } },
        { name: "long", arguments: { length: 3_000 + i } },
      ],
    });
    const read: ScriptedTurn = {
      calls: [{ name: "read_file", arguments: { file_path: "/conversation_history/t.md" } }],
    };
    const model = scriptedModel([...Array.from({ length: 20 }, (_, i) => step(i)), read, { text: "Done." }]);
    const agent = createAgent({
      model,
      tools: [longTool],
      middleware: [
        filesystem({ evictMessages: { tokens: 50 } }),
        reduction({ trigger: { messages: 6 }, keep: { messages: 4 }, results: { exclude: ["read_file"] } }),
        summarization({ model: summarizer(), trigger: { messages: 14 }, keep: { messages: 6 } }),
        patchToolCalls(),
      ],
    });
    const thread = agent.thread("t");
    const task = `The task. ${"Details. ".repeat(100)}`; // long enough to be a file
    const events = await eventsOf(thread.send(task));
    expect(events.filter(({ type }) => type === "repair" || type === "warning")).toEqual([]);
    expect(
      events.filter(({ type, data }) => type === "model_end" && data.purpose === "summary").length,
    ).toBeGreaterThan(2);
    const providers = await allProviders();
    try {
      for (const request of model.requests) {
        expect(refusals(request)).toEqual([]);
        expect(request.messages.map(textIn).some((text) => text.includes("The task."))).toBe(true);
      }
      for (const request of model.requests.slice(-4)) expect(await providers.refusals(request)).toEqual([]);
    } finally {
      await providers.close();
    }
    const history = (await thread.calls()).at(-1);
    expect(history).toMatchObject({ name: "read_file", status: "succeeded" });
    expect(String(history?.result)).toContain("Step 0.");
  });

  test("a tool that a hook hides cannot be called, also after a refused request", async () => {
    let isStarted = false;
    const secret = tool({
      name: "secret",
      description: "Secret.",
      execute: () => {
        isStarted = true;
        return "done";
      },
    });
    const hiding: Middleware = {
      name: "hiding",
      beforeModel: (request) => ({ ...request, tools: request.tools.filter(({ name }) => name !== "secret") }),
    };
    const refused = { error: { status: 400, message: "maximum context length exceeded" } };
    const model = scriptedModel([{ text: "Hi." }, refused, { calls: [{ name: "secret" }] }, { text: "Done." }]);
    const agent = createAgent({
      model,
      tools: [secret],
      middleware: [hiding, summarization({ model: summarizer(), keep: { messages: 1 } })],
    });
    await agent.thread("t").send("One.").result;
    expect((await agent.thread("t").send("Two.").result).text).toBe("Done.");
    expect(isStarted).toBe(false);
    expect((await agent.thread("t").calls())[0]?.status).toBe("failed");
  });

  test("SU12 a thread of another agent with the same middleware has a summary of its own", async () => {
    const shared = summarization({ model: summarizer(), trigger: { messages: 3 }, keep: { messages: 1 } });
    const [one, two] = ["one", "two"].map((name) => {
      const model = scriptedModel([{ text: `I am ${name}.` }], { loop: true });
      return { model, thread: createAgent({ name, model, middleware: [shared] }).thread(name) };
    });
    for (const text of ["A.", "B.", "C."]) {
      await one?.thread.send(text).result;
      await two?.thread.send(text).result;
    }
    expect(JSON.stringify(one?.model.requests.at(-1)?.messages)).not.toContain("two");
    expect(JSON.stringify(two?.model.requests.at(-1)?.messages)).toContain("/conversation_history/two.md");
  });
});
