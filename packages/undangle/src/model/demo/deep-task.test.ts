import { expect, test } from "vitest";

import type { ModelRequest, ToolDescription } from "../model.ts";
import { requestOf, tools } from "./conversation.fixture.ts";
import type { Said, Told } from "./conversation.fixture.ts";
import { demoModel } from "./demo-model.ts";

const offered = (...names: readonly string[]): readonly ToolDescription[] =>
  names.map((name) => ({ name, description: name, schema: { type: "object", properties: {} } }));
const deep = offered("write_todos", "task", "write_file", "read_file");
const worker = offered("write_todos", "write_file", "read_file");

const model = demoModel({ pace: 0 });
const turnOf = (said: readonly Said[], more: Partial<ModelRequest>) => model.stream(requestOf(said, more)).turn();

/** Plays a conversation: each call gets the result that `resultOf` has for it. */
async function play(
  message: string,
  resultOf: (call: Omit<Told, "result">) => Pick<Told, "result" | "isError" | "cause">,
  more: Partial<ModelRequest> = {},
): Promise<{ readonly turns: readonly (readonly string[])[]; readonly text: string; readonly said: readonly Said[] }> {
  const said: Said[] = [message];
  for (;;) {
    const { calls, text } = await turnOf(said, { tools: deep, ...more });
    const turns = said.flatMap((each) =>
      typeof each === "object" && "calls" in each ? [each.calls.map(({ name }) => name)] : [],
    );
    if (calls.length === 0) return { turns, text, said };
    said.push({
      calls: calls.map(({ name, arguments: args }) => {
        const call = { name, arguments: args as Told["arguments"] & object }; // the demo writes objects
        return { ...call, ...resultOf(call) };
      }),
    });
  }
}

/** What a sub-agent returns for a task: it writes its notes, or may not. */
async function taskResult(call: Omit<Told, "result">, isSaved = true): Promise<string> {
  const task = String(call.arguments?.["description"]);
  const [written] = (await turnOf([task], { tools: worker })).calls;
  expect(written?.name).toBe("write_file");
  const result = isSaved ? { result: "Created." } : { result: '{"userRejected":true}', isError: true };
  return (await turnOf([task, { calls: [{ name: "write_file", ...result }] }], { tools: worker })).text;
}

test.each([
  ["Research electric bikes.", "The research about electric bikes is done", "- costs and risks: /notes/costs.md"],
  ["Plan a trip to Kyoto", "The research about a trip to Kyoto is done", "- the main options: /notes/options.md"],
  ["调研电动自行车。", "关于“电动自行车”的调研已完成", "- 成本与风险：/notes/costs.md"],
])("%s: plans, delegates two tasks at once, reads their notes and reports", async (message, opening, line) => {
  const first = await turnOf([message, { calls: [{ name: "write_todos", result: "ok" }] }], { tools: deep });
  const reports = new Map<string, string>();
  for (const { arguments: args } of first.calls) {
    const call = { name: "task", arguments: args as object as NonNullable<Told["arguments"]> }; // the demo writes objects
    reports.set(String(call.arguments["description"]), await taskResult(call));
  }
  const { turns, text } = await play(message, (call) => ({
    result: reports.get(String(call.arguments?.["description"])) ?? "ok",
  }));
  expect(turns).toEqual([["write_todos"], ["task", "task"], ["read_file", "read_file"], ["write_todos"]]);
  expect(text).toContain(opening);
  expect(text).toContain(line);
});

test("notes that were not saved are neither read nor reported as done", async () => {
  const unsaved = await taskResult(
    {
      name: "task",
      arguments: { description: "Research costs and risks of tea. Write notes to /notes/costs.md, and report." },
    },
    false,
  );
  expect(unsaved).toBe("The notes about costs and risks were not saved.");
  const { turns, text, said } = await play("Research tea", () => ({ result: unsaved }));
  expect(turns).toEqual([["write_todos"], ["task", "task"], ["write_todos"]]);
  expect(text).toContain("- costs and risks: no notes were saved");
  expect(JSON.stringify(said.at(-1))).toContain('{"content":"Research costs and risks","status":"pending"}');
});

test("notes whose outcome is unknown after a crash are not reported as missing", async () => {
  const task = "Research costs and risks of tea. Write notes to /notes/costs.md, and report.";
  const lost = { result: "It was running.", cause: "crashed" } as const;
  const { text: report } = await turnOf([task, { calls: [{ name: "write_file", ...lost }] }], { tools: worker });
  expect(report).toBe("It is unknown whether the notes about costs and risks were saved.");
  const isOptions = ({ arguments: args }: Omit<Told, "result">): boolean =>
    JSON.stringify(args).includes("/notes/options.md");
  const { text } = await play("Research tea", (call) =>
    call.name === "task" && isOptions(call) ? lost : { result: report },
  );
  expect(text).toContain("- the main options: it is unknown whether notes were saved");
  expect(text).toContain("- costs and risks: it is unknown whether notes were saved");
});

test("a provider that allows one call per turn gets one task after another", async () => {
  const { turns } = await play("Research tea", () => ({ result: "nothing" }), { parallelCalls: false });
  expect(turns).toEqual([["write_todos"], ["task"], ["task"], ["write_todos"]]);
});

test("without the tools of a deep agent, the same message is a message like others", async () => {
  for (const offer of [Object.values(tools), offered("task"), offered("write_todos")]) {
    const { calls } = await turnOf(["Research electric bikes."], { tools: offer });
    expect(calls.map(({ name }) => name)).not.toContain("write_todos");
  }
  expect((await turnOf(["hello"], { tools: deep })).text).toContain("Hello!");
});
