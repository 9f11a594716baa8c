import { createAgent, tool } from "#engine";
import type { Logger } from "#engine";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { eventsOf } from "./recorded.ts";

/** A logger in the way of pino, and its lines. */
function recordingLogger() {
  const lines: { readonly level: string; readonly line: string; readonly data: Readonly<Record<string, unknown>> }[] =
    [];
  const take =
    (level: string): Logger["info"] =>
    (data, line) =>
      void lines.push({ level, line, data });
  const logger: Logger = { info: take("info"), warn: take("warn"), error: take("error") };
  return { logger, lines };
}

describe("the log", () => {
  test("tells of each tool's start with its arguments, of its end with success, and of the first byte", async () => {
    const { logger, lines } = recordingLogger();
    const input = { type: "object", properties: { n: { type: "number" } } } as const;
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ name: "good", arguments: { n: 1 } }, { name: "bad" }] }, { text: "Done." }]),
      logger,
      tools: [
        tool({ name: "good", description: "Good.", input, execute: () => 1 }),
        tool({ name: "bad", description: "Bad.", execute: () => Promise.reject(new Error("no")) }),
      ],
    });
    await agent.thread("t").send("Go.").result;
    const about = (name: string) => lines.filter(({ data }) => data["tool"] === name).map(({ data }) => data);
    expect(about("good")).toMatchObject([
      { threadId: "t", callId: "call_1", arguments: '{"n":1}' },
      { callId: "call_1", success: true },
    ]);
    expect(about("bad")).toMatchObject([{ callId: "call_2" }, { callId: "call_2", success: false }]);
    expect(lines.filter(({ line }) => line === "First byte").length).toBe(2);
  });

  test.each([
    ["en", /Tool call #1 has no id; generated \S+/u],
    ["zh", /工具调用 #1 缺少 ID，已生成临时 ID: \S+/u],
  ] as const)("warns of every id that was made (%s)", async (language, message) => {
    const { logger, lines } = recordingLogger();
    const agent = createAgent({
      model: scriptedModel([
        {
          calls: [
            { id: "a", name: "any" },
            { id: "", name: "any" },
          ],
        },
        { text: "Done." },
      ]),
      logger,
      language,
      tools: [tool({ name: "any", description: "Any.", execute: () => 1 })],
    });
    const run = agent.thread("t").send("Go.");
    await run.result;
    expect(lines.filter(({ level }) => level === "warn").map(({ line }) => line)).toEqual([
      expect.stringMatching(message) as unknown,
    ]);
    const warnings = (await eventsOf(run)).filter(({ type }) => type === "warning");
    expect(warnings.map(({ data }) => data)).toMatchObject([{ message: expect.stringMatching(message) as unknown }]);
  });

  test.each([
    ["en", /Tool call #0 has the id of another call; generated \S+/u],
    ["zh", /工具调用 #0 的 ID 已被其他调用使用，已生成临时 ID: \S+/u],
  ] as const)("does not say of an id that came before that there is none (%s)", async (language, message) => {
    const { logger, lines } = recordingLogger();
    const calls = [{ id: "a", name: "any" }];
    const agent = createAgent({
      model: scriptedModel([{ calls }, { calls }, { text: "Done." }], { direct: false }),
      logger,
      language,
      tools: [tool({ name: "any", description: "Any.", execute: () => 1 })],
    });
    await agent.thread("t").send("Go.").result;
    expect(lines.filter(({ level }) => level === "warn").map(({ line }) => line)).toEqual([
      expect.stringMatching(message) as unknown,
    ]);
  });
});
