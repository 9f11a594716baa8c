import { memoryStore } from "#store";
import { describe, expect, test } from "vitest";

import { linesOf, summaryStage, textIn } from "./summary-stage.ts";

const compact = { calls: [{ name: "compact_conversation" }] };

describe("SU13 compact_conversation", () => {
  test("is offered only if it is asked for", async () => {
    for (const isOffered of [true, false]) {
      const stage = summaryStage({ tool: isOffered });
      await stage.say("One.");
      expect(stage.requests[0]?.tools.some(({ name }) => name === "compact_conversation")).toBe(isOffered);
    }
  });

  test("replaces older messages at once; its call is answered and stays", async () => {
    const stage = summaryStage({
      tool: true,
      keep: { messages: 1 },
      turns: [{ text: "A." }, { text: "B." }, compact, { text: "C." }],
    });
    for (const text of ["One.", "Two.", "Three."]) await stage.say(text);
    expect(stage.summaries).toHaveLength(1);
    const lines = linesOf(stage.requests.at(-1));
    expect(lines.slice(1, 3)).toEqual(["user: Three.", "assistant: call compact_conversation"]);
    expect(lines[3]).toContain("tool: 4 older messages were replaced by a summary");
    expect((await stage.thread.calls())[0]?.status).toBe("succeeded");
    await stage.say("Four.");
    expect(linesOf(stage.requests.at(-1)).slice(0, 4)).toEqual(lines);
  });

  test("says so if there is nothing to do", async () => {
    const stage = summaryStage({ tool: true, turns: [compact, { text: "A." }] });
    await stage.say("One.");
    expect((await stage.thread.calls())[0]).toMatchObject({
      status: "succeeded",
      result: expect.stringContaining("nothing to replace") as unknown,
    });
    expect(stage.summaries).toEqual([]);
  });

  test("gives an error result if there is no summary, and nothing changes", async () => {
    const stage = summaryStage({
      tool: true,
      keep: { messages: 1 },
      turns: [{ text: "A." }, compact, { text: "B." }],
      answers: [{ text: "" }],
    });
    await stage.say("One.");
    expect(await stage.say("Two.")).toBe("B.");
    expect((await stage.thread.calls())[0]).toMatchObject({
      status: "failed",
      error: expect.stringContaining("Nothing has changed.") as unknown,
    });
    expect(linesOf(stage.requests.at(-1))).toHaveLength(5);
  });

  test("two calls in one turn lead to one boundary", async () => {
    const both = { calls: [...compact.calls, ...compact.calls] };
    const stage = summaryStage({ tool: true, keep: { messages: 1 }, turns: [{ text: "A." }, both, { text: "B." }] });
    await stage.say("One.");
    expect(await stage.say("Two.")).toBe("B.");
    expect(linesOf(stage.requests.at(-1)).slice(1, 3)).toEqual([
      "user: Two.",
      "assistant: call compact_conversation\ncall compact_conversation",
    ]);
    expect(stage.events.filter(({ type }) => type === "repair")).toEqual([]);
  });

  test("in a process that did not send the request, the summary is written before the next one", async () => {
    const store = memoryStore();
    const agentOptions = { approvals: [{ tools: "compact_conversation" }] };
    const first = summaryStage({
      tool: true,
      store,
      keep: { messages: 1 },
      turns: [{ text: "A." }, compact],
      agentOptions,
    });
    await first.say("One.");
    await first.say("Two.");
    await first.agent.close();
    const second = summaryStage({ tool: true, store, keep: { messages: 1 }, turns: [{ text: "B." }], agentOptions });
    const end = await second.thread.approveAll().result;
    expect(end.text).toBe("B.");
    expect(second.summaries).toHaveLength(1);
    expect(textIn(second.requests[0]?.messages[0])).toContain("They talked.");
    await second.say("Three.");
    expect(second.summaries).toHaveLength(1);
  });

  test("is described in Chinese for an agent that speaks Chinese", async () => {
    const stage = summaryStage({ tool: true, agentOptions: { language: "zh" } });
    await stage.say("一");
    await stage.say("二");
    const [one, two] = stage.requests.map(({ tools }) => tools.find(({ name }) => name === "compact_conversation"));
    expect(one?.description).toContain("摘要");
    expect(two).toBe(one);
  });
});
