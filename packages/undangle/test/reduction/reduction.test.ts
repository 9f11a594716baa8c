import { encode, formats } from "#codecs";
import type { Format, Message } from "#codecs";
import { createAgent, tool } from "#engine";
import type { AgentEvent, AgentOptions, Middleware, Thread } from "#engine";
import { memoryFiles } from "#files";
import { reduction } from "#middleware";
import type { ReductionOptions } from "#middleware";
import type { ModelRequest } from "#model";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedTurn } from "#testing";
import { describe, expect, test } from "vitest";

import { allProviders, refusals, unpaired } from "../engine/all-formats.ts";

const body = `secret ${"text ".repeat(1_000)}end`;

const write = tool({
  name: "write_file",
  description: "Writes a file.",
  input: { type: "object", properties: { file_path: { type: "string" }, content: { type: "string" } } },
  execute: () => "Written.",
});

const search = tool({
  name: "search",
  description: "Searches.",
  input: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  execute: ({ query }: { readonly query: string }) => `${query} ${"result ".repeat(1_000)}`,
});

const writing: ScriptedTurn = { calls: [{ name: "write_file", arguments: { file_path: "/a.txt", content: body } }] };
const searching = (query: string): ScriptedTurn => ({ calls: [{ name: "search", arguments: { query } }] });

interface Stage {
  readonly thread: Thread;
  readonly requests: readonly ModelRequest[];
  readonly events: AgentEvent[];
  readonly say: (text: string) => Promise<void>;
}

function stageOf(options: ReductionOptions, turns: readonly ScriptedTurn[], more: Partial<AgentOptions> = {}): Stage {
  const model = scriptedModel([...turns, ...Array.from({ length: 100 }, () => ({ text: "Yes." }))]);
  const events: AgentEvent[] = [];
  const agent = createAgent({
    model,
    tools: [write, search],
    ...more,
    middleware: [reduction(options), ...(more.middleware ?? [])],
  });
  const thread = agent.thread("t");
  return {
    thread,
    requests: model.requests,
    events,
    async say(text) {
      for await (const event of thread.send(text)) events.push(event);
    },
  };
}

const callsIn = (request: ModelRequest | undefined) =>
  (request?.messages ?? []).flatMap((message) =>
    message.role === "assistant" ? message.parts.filter((part) => part.type === "call") : [],
  );

const resultsIn = (request: ModelRequest | undefined) =>
  (request?.messages ?? []).flatMap((message) => (message.role === "tool" ? message.results : []));

const inputIn = (request: ModelRequest | undefined, at = 0): string => {
  const input = callsIn(request)[at]?.input;
  return input !== undefined && "text" in input ? input.text : "";
};

const isWhole = (request: ModelRequest | undefined, at = 0): boolean => inputIn(request, at).includes(body);

const resultText = (request: ModelRequest | undefined, at = 0): string => {
  const part = resultsIn(request)[at]?.parts[0];
  return part?.type === "text" ? part.text : "";
};

const small = { trigger: { messages: 4 }, keep: { messages: 2 } };

describe("reduction", () => {
  test("RD1 only messages before the kept ones are reduced; the thread keeps them whole", async () => {
    const stage = stageOf(small, [writing, { text: "A." }, writing]);
    await stage.say("One.");
    expect(isWhole(stage.requests[1])).toBe(true);
    await stage.say("Two.");
    expect(isWhole(stage.requests[2])).toBe(false); // four messages; the last two are kept
    expect(isWhole(stage.requests[3], 0)).toBe(false);
    expect(isWhole(stage.requests[3], 1)).toBe(true);
    expect(JSON.stringify(await stage.thread.calls())).toContain(body);
  });

  test("RD1 the defaults are 20 messages", async () => {
    const stage = stageOf({}, [writing]);
    await stage.say("One.");
    for (let i = 0; i < 8; i++) await stage.say(`More ${i}.`);
    await stage.say("And more.");
    expect(isWhole(stage.requests.at(-1))).toBe(true); // 21 messages, of which 20 are kept
    await stage.say("And more.");
    expect(isWhole(stage.requests.at(-1))).toBe(false);
  });

  test("RD2 a shortened argument is JSON of the same shape, in every format; ids and signatures stay", async () => {
    const raw = JSON.stringify({
      file_path: "/a.txt",
      content: body,
      lines: [1, 12345678901234567890n.toString(), body],
      size: 7,
    }).replace('"12345678901234567890"', () => "12345678901234567890");
    const stage = stageOf(small, [{ reasoning: "I write.", calls: [{ name: "write_file", raw, id: "call_abc" }] }]);
    await stage.say("One.");
    await stage.say("Two.");
    await stage.say("Three.");
    const [before, after] = [stage.requests[1], stage.requests.at(-1)];
    const text = inputIn(after);
    expect(text).toContain("12345678901234567890"); // no digit is lost
    expect(JSON.parse(text)).toEqual({
      file_path: "/a.txt",
      content: expect.stringMatching(/^secret text text tex… \[\d+ more characters/u) as unknown,
      lines: [1, Number("12345678901234567890"), expect.stringMatching(/^secret/u) as unknown],
      size: 7,
    });
    const [whole, short] = [callsIn(before)[0], callsIn(after)[0]];
    expect({ ...short, input: undefined }).toEqual({ ...whole, input: undefined });
    const bodyOf = (request: ModelRequest | undefined, to: Format): string =>
      JSON.stringify(encode({ messages: request?.messages ?? [], setting: undefined }, { to }));
    for (const format of formats) {
      expect(bodyOf(before, format)).toContain("text text text text text text");
      expect(bodyOf(after, format)).toContain("more characters of this old argument");
      expect(bodyOf(after, format)).not.toContain("text text text text text text");
    }
    expect(refusals({ messages: after?.messages ?? [] })).toEqual([]);
    const providers = await allProviders();
    try {
      expect(await providers.refusals({ messages: after?.messages ?? [] })).toEqual([]);
    } finally {
      await providers.close();
    }
  });

  test("RD2 signed thinking stays with its turn", async () => {
    const thought = { type: "thinking", thinking: "I write.", signature: "signed" };
    const call = { type: "tool_use", id: "toolu_1", name: "write_file", input: { file_path: "/a", content: body } };
    const stage = stageOf(small, []);
    await stage.thread.import({
      model: "claude-sonnet-4-5",
      messages: [
        { role: "user", content: "Write." },
        { role: "assistant", content: [thought, call] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Written." }] },
        { role: "assistant", content: "Done." },
      ],
    });
    await stage.say("Two.");
    await stage.say("Three.");
    const sent = JSON.stringify(
      encode({ messages: stage.requests.at(-1)?.messages ?? [], setting: undefined }, { to: "anthropic" }),
    );
    expect(sent).toContain('"signature":"signed"');
    expect(sent).toContain("toolu_1");
    expect(sent).not.toContain("text text text text");
  });

  test("RD3 short arguments and those of other tools stay, with the same references", async () => {
    const other: ScriptedTurn = {
      calls: [
        { name: "search", arguments: { query: body } },
        { name: "write_file", arguments: { content: "short" } },
      ],
    };
    const seen: (readonly Message[])[] = [];
    const outside: Middleware = { name: "outside", beforeModel: ({ messages }) => void seen.push(messages) };
    const views: (readonly Message[])[] = [];
    const inside: Middleware = {
      name: "inside",
      wrapModelCall: (next) => (request) => {
        views.push(request.messages);
        return next(request);
      },
    };
    const stage = stageOf(small, [other, { text: "A." }, writing], { middleware: [outside, inside] });
    for (const text of ["One.", "Two.", "Three.", "Four."]) await stage.say(text);
    const [raw, view] = [seen.at(-1) ?? [], views.at(-1) ?? []];
    const changed = raw.flatMap((message, i) => (message === view[i] ? [] : [i]));
    expect(changed).toEqual([raw.findIndex((message) => JSON.stringify(message).includes("/a.txt"))]);
  });

  test("RD4 a cleared result says what was there and where it is now", async () => {
    const stage = stageOf({ ...small, results: {} }, [searching("cats")]);
    for (const text of ["One.", "Two.", "Three."]) await stage.say(text);
    const text = resultText(stage.requests.at(-1));
    expect(text).toContain("old result of search had 7005 characters");
    const [, path = ""] = /stored in (\S+)\.\]/u.exec(text) ?? [];
    expect(new TextDecoder().decode(await stage.thread.readFile(path))).toBe(`cats ${"result ".repeat(1_000)}`);
    expect(resultsIn(stage.requests.at(-1))[0]).toMatchObject({ name: "search", isError: false });
  });

  test("RD4 if it cannot be stored, it stays", async () => {
    const files = { ...memoryFiles(), write: () => Promise.reject(new Error("The disk is full.")) };
    const stage = stageOf({ ...small, results: {}, files }, [searching("cats"), { text: "A." }, writing]);
    for (const text of ["One.", "Two.", "Three.", "Four."]) await stage.say(text);
    expect(resultText(stage.requests.at(-1))).toHaveLength(7_005);
    const warnings = stage.events.flatMap(({ type, data }) => (type === "warning" ? [data.message] : []));
    expect(warnings).toEqual([expect.stringContaining("The disk is full.")]); // once
    expect(isWhole(stage.requests.at(-1), 1)).toBe(false);
  });

  test("RD5 nothing is changed unless it saves enough, and nothing is stored", async () => {
    const stage = stageOf({ ...small, results: {}, clearAtLeast: 3_000 }, [
      searching("cats"),
      { text: "A." },
      searching("dogs"),
    ]);
    for (const text of ["One.", "Two."]) await stage.say(text);
    expect(resultText(stage.requests.at(-1))).toHaveLength(7_005);
    expect(await stage.thread.files()).toEqual([]);
    for (const text of ["Three.", "Four."]) await stage.say(text);
    expect(resultText(stage.requests.at(-1), 0)).toContain("no longer shown");
    expect(resultText(stage.requests.at(-1), 1)).toContain("no longer shown");
    expect(await stage.thread.files()).toHaveLength(2);
  });

  test("RD6 results of excluded tools stay", async () => {
    const stage = stageOf({ ...small, results: { exclude: ["search"] } }, [searching("cats")]);
    for (const text of ["One.", "Two.", "Three."]) await stage.say(text);
    expect(resultText(stage.requests.at(-1))).toHaveLength(7_005);
  });

  test("RD7 a call that awaits a decision keeps its arguments and its digest", async () => {
    const turns = [{ text: "A." }, { text: "B." }, writing];
    const gated = { approvals: [{ tools: "write_file" }] };
    const stage = stageOf({ trigger: { messages: 1 }, keep: { messages: 1 } }, turns, gated);
    for (const text of ["One.", "Two.", "Three."]) await stage.say(text);
    const [pending] = await stage.thread.pending();
    expect(pending?.arguments).toEqual({ file_path: "/a.txt", content: body });
    const decision = { type: "approve" as const, digest: pending?.digest ?? "" };
    const end = await stage.thread.decide({ [pending?.id ?? ""]: decision }).result;
    expect(end.status).toBe("done");
    expect(isWhole(stage.requests.at(-1))).toBe(true); // its turn is the last one
  });

  test("RD8 the same request gives the same bytes; also after a restart, and in a fork", async () => {
    const store = memoryStore();
    const options = { ...small, results: {} };
    const turns = [searching("cats"), { text: "A." }, writing];
    const stage = stageOf(options, turns, { store });
    for (const text of ["One.", "Two.", "Three."]) await stage.say(text);
    const before = JSON.stringify(stage.requests.at(-1)?.messages).slice(0, -1);
    const again = stageOf({ ...options, trigger: { messages: 100 } }, [], { store });
    await again.say("Four.");
    expect(JSON.stringify(again.requests.at(-1)?.messages).startsWith(before)).toBe(true);
    const fork = await again.thread.fork();
    await fork.send("Four.").result;
    expect(JSON.stringify(again.requests.at(-1)?.messages).startsWith(before)).toBe(true);
    const [, path = ""] = /stored in (\S+)\.\]/u.exec(resultText(again.requests.at(-1))) ?? [];
    expect(await fork.readFile(path)).toBeDefined();
  });

  test("RD8 bytes before the last messages change only when something is reduced; views are valid without repair", async () => {
    const turns = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? searching(`query ${i}`) : writing));
    const stage = stageOf({ trigger: { messages: 8 }, keep: { messages: 4 }, results: {}, clearAtLeast: 4_000 }, turns);
    await stage.say("One.");
    let changes = 0;
    let before: readonly Message[] = [];
    for (const { messages } of stage.requests) {
      if (!before.every((message, i) => message === messages[i])) changes++;
      expect(unpaired(messages)).toEqual([]);
      before = messages;
    }
    expect(changes).toBeGreaterThan(0);
    expect(changes).toBeLessThan(stage.requests.length / 2);
    expect(stage.events.filter(({ type }) => type === "repair")).toEqual([]);
  });

  test.each([
    [{ arguments: { over: 10 } }, "arguments.over"],
    [{ arguments: { tools: "write_file" } }, "arguments.tools"],
    [{ arguments: { keepFirst: -1 } }, "arguments.keepFirst"],
    [{ arguments: { least: 1 } }, "arguments.least"],
    [{ results: { over: 1 } }, "results.over"],
    [{ results: { exclude: [""] } }, "results.exclude"],
    [{ clearAtLeast: -1 }, "clearAtLeast"],
    [{ trigger: { fraction: 0.5 } }, "contextWindow"],
    [{ directory: "x" }, "directory"],
    [{ tools: [] }, "tools"],
  ])("refuses %j", (options, option) => {
    const data = expect.objectContaining({ option }) as unknown;
    expect(() => reduction(options as never)).toThrow(expect.objectContaining({ data }));
  });

  test("its texts are Chinese for an agent that speaks Chinese", async () => {
    const stage = stageOf({ ...small, results: {} }, [searching("猫"), writing], { language: "zh" });
    for (const text of ["一", "二", "三"]) await stage.say(text);
    expect(resultText(stage.requests.at(-1))).toContain("不再显示");
    expect(inputIn(stage.requests.at(-1), 1)).toContain("旧参数");
  });
});
