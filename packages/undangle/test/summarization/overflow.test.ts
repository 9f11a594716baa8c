import { createAgent, tool } from "#engine";
import { summarization } from "#middleware";
import { openai } from "#model";
import type { ModelRequest } from "#model";
import { wireServer } from "#testing";
import type { ScriptedTurn } from "#testing";
import { describe, expect, test } from "vitest";

import { longTool, linesOf, summaryStage, textIn } from "./summary-stage.ts";

const refusal = { error: { status: 400, message: "This model's maximum context length is 1000 tokens." } };

/** A model that refuses requests with more characters than a limit. */
const limited =
  (limit: number, turn: ScriptedTurn = { text: "Yes." }) =>
  (request: ModelRequest): ScriptedTurn =>
    request.messages.reduce((sum, message) => sum + textIn(message).length, 0) > limit ? refusal : turn;

describe("SU9 a provider refuses the length of a request", () => {
  test("it is summarized and sent once more; nothing of the first try is left", async () => {
    const stage = summaryStage({ keep: { messages: 1 }, turns: [limited(3_000)] });
    await stage.say("One. ".repeat(400));
    expect(await stage.say("Two. ".repeat(400))).toBe("Yes.");
    expect(stage.requests).toHaveLength(3);
    expect(stage.summaries).toHaveLength(1);
    expect(stage.events.filter(({ type }) => type === "model_discarded")).toEqual([]);
    expect(stage.events.filter(({ type }) => type === "run_end")).toHaveLength(2);
    await stage.say("Three.");
    expect(stage.requests).toHaveLength(4); // the view stays short
  });

  test("if that is not enough, long results are clipped, and the whole ones stored in files", async () => {
    const read = tool({
      name: "read_file",
      description: "Reads a file.",
      input: { type: "object", properties: { file_path: { type: "string" } } },
      execute: () => Array.from({ length: 2_000 }, (_, i) => `${String(i + 1).padStart(4)}  line ${i + 1}`).join("\n"),
    });
    const calls = [
      { name: "read_file", arguments: { file_path: "/big.txt" } },
      { name: "long", arguments: { length: 20_000 } },
      { name: "long", arguments: { length: 100 } },
    ];
    const stage = summaryStage({
      keep: { messages: 1 },
      turns: [{ text: "Hi." }, { calls }, limited(10_000), limited(10_000), limited(10_000)],
      agentOptions: { tools: [read, longTool] },
    });
    await stage.say("One.");
    expect(await stage.say("Two.")).toBe("Yes.");
    expect(stage.requests).toHaveLength(5); // two extra requests
    const [file, other, short] =
      stage.requests.at(-1)?.messages.flatMap((each) => (each.role === "tool" ? each.results : [])) ?? [];
    const [text = "", whole = "", small = ""] = [file, other, short].map((each) =>
      each?.parts[0]?.type === "text" ? each.parts[0].text : "",
    );
    const [, offset] = /Read the rest of \/big\.txt with offset (\d+)/u.exec(text) ?? [];
    expect(text).toContain(`\n${String(offset).padStart(4)}  line ${offset}\n`);
    expect(text).not.toContain(`line ${Number(offset) + 1}\n`);
    expect(text.length).toBeLessThan(4_300);
    const [, path = ""] = /The whole result is in (\S+)\. /u.exec(whole) ?? [];
    expect((await stage.thread.readFile(path))?.length).toBe(20_000);
    expect(small).toHaveLength(100);
    expect(stage.events.filter(({ type }) => type === "repair")).toEqual([]);
    await stage.say("Three.");
    const later = stage.requests.at(-1)?.messages ?? [];
    expect(later.some((each) => textIn(each).includes("with offset"))).toBe(true); // the same bytes later
    expect((await stage.thread.calls())[1]?.result).toHaveLength(20_000);
  });

  test("if that is not enough either, the run fails with the sizes, after two extra requests", async () => {
    const calls = [{ name: "long", arguments: { length: 20_000 } }];
    const stage = summaryStage({ keep: { messages: 1 }, turns: [{ text: "Hi." }, { calls }, refusal] });
    await stage.say("One.");
    const end = await stage.thread.send("Two.").result;
    expect(end).toMatchObject({ status: "failed", error: { code: "run/context-overflow" } });
    expect(end.error?.data).toMatchObject({ messages: 4 });
    expect(end.error?.message).toContain("maximum context length");
    expect(stage.requests).toHaveLength(5);
    expect(stage.summaries).toHaveLength(1);
  });

  test("if nothing can be summarized or clipped, it fails without another request", async () => {
    const stage = summaryStage({ turns: [refusal] });
    await expect(stage.say("One.")).rejects.toMatchObject({ code: "run/context-overflow" });
    expect(stage.requests).toHaveLength(1);
  });

  test("if the summary fails too, older turns are left out", async () => {
    const stage = summaryStage({ keep: { messages: 1 }, turns: [limited(3_000)], answers: [refusal] });
    await stage.say("One. ".repeat(400));
    expect(await stage.say("Two. ".repeat(400))).toBe("Yes.");
    expect(textIn(stage.requests.at(-1)?.messages[0])).toContain("No summary of them could be written");
    expect(stage.warnings()).toEqual([expect.stringContaining("could not be summarized")]);
  });

  test("other errors stay errors of the model", async () => {
    const stage = summaryStage({ turns: [{ error: { status: 401, message: "Incorrect API key" } }] });
    await expect(stage.say("One.")).rejects.toMatchObject({ code: "model/failed" });
    expect(stage.requests).toHaveLength(1);
  });

  test("a stop while the summary is written ends the run at once", async () => {
    const stage = summaryStage({
      trigger: { messages: 3 },
      keep: { messages: 1 },
      answers: [{ text: "Late.", delay: 60_000 }],
    });
    await stage.say("One.");
    const run = stage.thread.send("Two.");
    for await (const { type, data } of run) if (type === "model_start" && data.purpose === "summary") void run.stop();
    expect((await run.result).status).toBe("stopped");
    expect(stage.requests).toHaveLength(1);
  });

  test("over HTTP: the error of the provider is recognised, and the next request is accepted", async () => {
    let refused = 0;
    const server = await wireServer({
      turns: ({ body }) => {
        const isSummary = JSON.stringify(body).includes("<conversation>");
        if (isSummary) return { text: "They talked." };
        if (JSON.stringify(body).length < 3_000) return { text: "Yes." };
        refused++;
        return { error: { status: 400, message: "Your input exceeds the context window of this model." } };
      },
    });
    try {
      const model = openai("gpt-5.1", { apiKey: "k", baseURL: server.baseUrl("openai-responses") });
      const agent = createAgent({ model, middleware: [summarization({ keep: { messages: 1 } })] });
      await agent.thread("t").send("One. ".repeat(400)).result;
      const end = await agent.thread("t").send("Two. ".repeat(400)).result;
      expect(end).toMatchObject({ status: "done", text: "Yes." });
      expect(refused).toBe(1);
    } finally {
      await server.close();
    }
  });
});

test("a run that ends in an overflow can continue", async () => {
  const stage = summaryStage({ turns: [refusal, { text: "Yes." }] });
  await stage.thread.send("One.").result;
  expect(await stage.say("Two.")).toBe("Yes.");
  expect(linesOf(stage.requests.at(-1))).toEqual(["user: One.", "user: Two."]);
});
