import { check, repair } from "undangle";
import { describe, expect, test } from "vitest";

import { sentThrough } from "../clients/sent-through.ts";

/** Calls of OpenAI's own tools that the client runs, and their outputs, were in nobody's eye. */
type Item = Readonly<Record<string, unknown>>;

const url = "https://api.openai.com/v1/responses";
const body = (...input: readonly Item[]) => ({ model: "gpt-5.1", input });
const user = (content: string): Item => ({ role: "user", content });
const by = { call_id: "call_1", status: "completed" };
const words = expect.stringMatching(/^Tool call \w+ with id call_1 was cancelled/u) as unknown;

const shell = { type: "shell_call", id: "sh_1", ...by, action: { commands: ["ls"] } };
const localShell = { type: "local_shell_call", id: "lsh_1", ...by, action: { type: "exec", command: ["ls"], env: {} } };
const patch = { type: "apply_patch_call", id: "apc_1", ...by, operation: { type: "delete_file", path: "x" } };
const search = { type: "tool_search_call", id: "tsc_1", ...by, execution: "client", arguments: { query: "x" } };
const computer = {
  type: "computer_call",
  id: "cu_1",
  ...by,
  action: { type: "screenshot" },
  pending_safety_checks: [],
};

const ran = [{ stdout: "FILES", stderr: "", outcome: { type: "exit", exit_code: 0 } }];
const shown = { type: "computer_screenshot", image_url: "data:image/png;base64,iVBORw0KGgo=" };
const outputs = {
  shell: { type: "shell_call_output", call_id: "call_1", output: ran },
  localShell: { type: "local_shell_call_output", call_id: "call_1", output: "FILES" },
  localShellById: { type: "local_shell_call_output", id: "call_1", output: "FILES" },
  patch: { type: "apply_patch_call_output", call_id: "call_1", status: "completed", output: "DELETED" },
  computer: { type: "computer_call_output", call_id: "call_1", output: shown },
  search: { type: "tool_search_output", call_id: "call_1", execution: "client", status: "completed", tools: [] },
};

describe("a call that was not answered", () => {
  test.each<readonly [string, Item, Item]>([
    [
      "shell",
      shell,
      {
        type: "shell_call_output",
        call_id: "call_1",
        output: [{ stdout: "", stderr: words, outcome: { type: "exit", exit_code: 1 } }],
        status: "incomplete",
      },
    ],
    ["local shell", localShell, { type: "local_shell_call_output", call_id: "call_1", output: words }],
    ["patch", patch, { type: "apply_patch_call_output", call_id: "call_1", status: "failed", output: words }],
    ["search for tools", search, outputs.search],
  ])("%s: gets the output that its type asks for", async (_, call, output) => {
    const { list, edits, text } = await sentThrough(url, body(user("a"), call, user("b")));
    expect(list).toEqual([user("a"), call, output, user("b")]);
    expect(edits).toMatchObject([{ rule: "unanswered-call", type: "insert", from: "input[1]", to: "input[2]" }]);
    expect((await sentThrough(url, JSON.parse(text) as object)).edits).toEqual([]);
  });

  test("computer: nobody can make up a screenshot, and words stand in its place", async () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
    const { list, edits, text } = await sentThrough(url, body(user("a"), reasoning, computer, user("b")));
    expect(list).toHaveLength(3);
    expect(list[1]).toMatchObject({ type: "message", role: "user" });
    expect(JSON.stringify(list[1])).toMatch(/Tool call computer with id call_1 was cancelled.*screenshot/u);
    expect(edits).toMatchObject([{ rule: "dangling-reasoning" }, { rule: "unanswered-call", type: "quote" }]);
    expect((await sentThrough(url, JSON.parse(text) as object)).edits).toEqual([]);
  });

  test("stands beside others that were, and beside calls of functions", async () => {
    const other = { ...shell, id: "sh_2", call_id: "call_2" };
    const call = { type: "function_call", call_id: "call_3", name: "look", arguments: "{}" };
    const { list, edits } = await sentThrough(url, body(user("a"), shell, other, call, outputs.shell, user("b")));
    expect(list.slice(0, 4)).toEqual([user("a"), shell, other, call]);
    const answered = list.slice(4, -1).map((item) => [(item as Item)["type"], (item as Item)["call_id"]]);
    expect(new Map(answered.map(([type, id]) => [id, type]))).toEqual(
      new Map([
        ["call_1", "shell_call_output"],
        ["call_2", "shell_call_output"],
        ["call_3", "function_call_output"],
      ]),
    );
    expect(edits.map(({ rule, callId }) => [rule, callId])).toEqual([
      ["unanswered-call", "call_2"],
      ["unanswered-call", "call_3"],
    ]);
  });

  test("stays at the end for whoever is about to run it", () => {
    const given = body(user("a"), shell);
    expect(repair(given, { danglingAtEnd: "leave" }).output).toBe(given);
    expect(check(given)).toMatchObject([{ rule: "unanswered-call", path: "input[1]" }]);
  });

  test("is told in the words of the caller", async () => {
    const { list } = await sentThrough(url, body(user("a"), patch, user("b")), { notice: ({ name }) => `No ${name}.` });
    expect(list[2]).toMatchObject({ output: "No apply_patch." });
  });
});

describe("an output whose call is gone", () => {
  test.each([
    ["shell", outputs.shell, "FILES"],
    ["local shell", outputs.localShell, "FILES"],
    ["patch", outputs.patch, "DELETED"],
    ["computer", outputs.computer, "iVBORw0KGgo="],
  ] as const)("%s: is quoted", async (_, output, said) => {
    const { list, edits, text } = await sentThrough(url, body(user("a"), output, user("b")));
    expect(list[1]).toMatchObject({ type: "message", role: "user" });
    expect(JSON.stringify(list[1])).toContain(said);
    expect(edits).toMatchObject([{ rule: "orphan-result", type: "quote", lossless: true }]);
    expect((await sentThrough(url, JSON.parse(text) as object)).edits).toEqual([]);
  });

  test("goes where that was asked for", async () => {
    const { list, edits } = await sentThrough(url, body(user("a"), outputs.shell), { orphans: "drop" });
    expect(list).toEqual([user("a")]);
    expect(edits).toMatchObject([{ rule: "orphan-result", type: "remove", lossless: false }]);
  });
});

describe("what is healthy passes as it came", () => {
  const rest = Array.from({ length: 20 }, (_, i) => user(`${i}`));
  test.each<readonly [string, readonly Item[]]>([
    ["shell", [shell, outputs.shell]],
    ["local shell", [localShell, outputs.localShell]],
    ["local shell, by the id of the output", [localShell, outputs.localShellById]],
    ["local shell, with the id of the call", [localShell, { ...outputs.localShell, id: "lsh_1" }]],
    [
      "local shell, as Codex answers it",
      [localShell, { type: "function_call_output", call_id: "call_1", output: "x" }],
    ],
    ["patch", [patch, outputs.patch]],
    ["computer", [computer, outputs.computer]],
    ["computer, far apart", [computer, user("Wait."), outputs.computer]],
    ["search on the server", [{ type: "tool_search_call", id: "t", call_id: null, arguments: {} }]],
    ["search that does not say where", [{ type: "tool_search_call", id: "t", call_id: "call_1", arguments: {} }]],
  ])("%s", async (_, items) => {
    for (const given of [body(user("a"), ...items), body(user("a"), ...items, ...rest), body(...rest, ...items)]) {
      expect((await sentThrough(url, given)).text).toBe(JSON.stringify(given));
    }
  });

  test.each([{ previous_response_id: "resp_1" }, { conversation: "conv_1" }])("an output of %j", async (stored) => {
    const given = { ...body(outputs.shell, outputs.computer), ...stored };
    expect((await sentThrough(url, given)).text).toBe(JSON.stringify(given));
  });

  test("an output of what a reference stands for", async () => {
    const given = body(user("a"), { type: "item_reference", id: "sh_1" }, outputs.shell);
    expect((await sentThrough(url, given)).text).toBe(JSON.stringify(given));
  });
});
