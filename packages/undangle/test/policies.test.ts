import { check, repair, repairAsync, setLanguage } from "undangle";
import { afterEach, describe, expect, test } from "vitest";

const H = { role: "user", content: "and?" };
const A = (...ids: string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "pay", arguments: "{}" } })),
});
const T = (id: string, content = `output of ${id}`) => ({ role: "tool", tool_call_id: id, content });
const format = "openai-chat" as const;

describe("orphans", () => {
  const history = [H, T("lost", "42 rows"), H];

  test("restore (the default) rebuilds the call, and says so", () => {
    const { output, edits } = repair(history, { format });
    expect(output).toEqual([
      H,
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "lost", type: "function", function: { name: "unknown_tool", arguments: "{}" } }],
      },
      T("lost", "42 rows"),
      H,
    ]);
    expect(edits).toMatchObject([
      {
        rule: "orphan-result",
        type: "restore",
        from: "messages[1]",
        to: "messages[1].tool_calls[0]",
        lossless: true,
        reconstructed: true,
        callId: "lost",
      },
    ]);
  });

  test.each<[why: string, body: unknown, name: string]>([
    ["the result's own name", { messages: [{ ...T("x"), name: "read" }] }, "read"],
    ["the same id elsewhere", { messages: [A("x"), T("x"), H, T("x", "another")] }, "pay"],
    ["the form of the id", { messages: [T("functions.Bash:0")] }, "Bash"],
    [
      "the only tool there is",
      { messages: [T("x")], tools: [{ type: "function", function: { name: "grep" } }] },
      "grep",
    ],
    ["nothing", { messages: [T("x")] }, "unknown_tool"],
  ])("a restored call is named by %s", (_, body, name) => {
    const { output } = repair(body as { messages: unknown[] }, { format });
    expect(JSON.stringify(output.messages)).toContain(`"function":{"name":"${name}","arguments":"{}"}`);
  });

  test("quote turns the output into marked text", () => {
    expect(repair(history, { format, orphans: "quote" }).output).toEqual([
      H,
      { role: "user", content: "[Output of an earlier tool call, quoted as data]\n42 rows" },
      H,
    ]);
    expect(repair(history, { format, orphans: "quote", language: "zh" }).output[1]).toEqual({
      role: "user",
      content: "[此前工具调用的输出，作为数据引用]\n42 rows",
    });
  });

  test("drop drops it, and does not call that lossless", () => {
    const { output, edits } = repair(history, { format, orphans: "drop" });
    expect(output).toEqual([H, H]);
    expect(edits).toMatchObject([{ type: "remove", before: T("lost", "42 rows"), lossless: false }]);
  });

  test("where a call cannot stand, restore falls back to quote: in a running Anthropic thinking loop", () => {
    const result = { type: "tool_result", tool_use_id: "t1", content: "42 rows" };
    const body = {
      model: "claude-sonnet-4-5",
      max_tokens: 9,
      thinking: { type: "enabled", budget_tokens: 1024 },
      tools: [{ name: "count", input_schema: { type: "object" } }],
      messages: [
        { role: "user", content: "count" },
        { role: "user", content: [result] },
      ],
    };
    const { output, edits, problems } = repair(body);
    expect(problems).toEqual([]);
    expect(edits).toMatchObject([{ rule: "orphan-result", type: "quote" }]);
    expect(output.thinking).toEqual(body.thinking);
    expect(repair({ ...body, thinking: undefined }).edits).toMatchObject([{ type: "restore" }]);
  });
});

describe("duplicates", () => {
  const notice = "Tool call pay with id a was cancelled - another message came in before it could be completed.";

  test("different ones are merged, or the last wins", () => {
    const history = [A("a"), T("a", "1"), T("a", "2"), T("a", "3")];
    expect(repair(history, { format }).output).toEqual([A("a"), T("a", "1\n\n2\n\n3")]);
    const { output, edits } = repair(history, { format, duplicates: "last" });
    expect(output).toEqual([A("a"), T("a", "3")]);
    expect(edits).toMatchObject([
      { type: "remove", from: "messages[1]", before: T("a", "1"), lossless: false },
      { type: "remove", from: "messages[2]", before: T("a", "2"), lossless: false },
    ]);
  });

  test("a real result takes the place of a notice of ours, wherever it stands", () => {
    const expected = [A("a"), T("a", "real"), H];
    expect(repair([A("a"), T("a", notice), T("a", "real"), H], { format }).output).toEqual(expected);
    expect(repair([A("a"), T("a", "real"), T("a", notice), H], { format }).output).toEqual(expected);
    expect(repair([A("a"), T("a", notice), H, T("a", "real")], { format }).output).toEqual(expected);
  });

  test("images stay images when results are merged", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
    const result = (content: unknown) => ({ type: "tool_result", tool_use_id: "t", content });
    const call = { role: "assistant", content: [{ type: "tool_use", id: "t", name: "look", input: {} }] };
    const { output } = repair([call, { role: "user", content: [result("one"), result([image])] }], {
      format: "anthropic",
    });
    expect(output[1]).toEqual({ role: "user", content: [result([{ type: "text", text: "one" }, image])] });
  });
});

describe("danglingAtEnd", () => {
  const history = [H, A("old"), H, A("a", "b"), T("a")];

  test("leave keeps the calls at the end open, and still reports them", () => {
    const { output, problems, edits } = repair(history, { format, danglingAtEnd: "leave" });
    expect(output.slice(-2)).toEqual([A("a", "b"), T("a")]);
    expect(edits).toHaveLength(1);
    expect(problems).toMatchObject([{ rule: "unanswered-call", callId: "b", repairable: true }]);
    expect(repair(output, { format, danglingAtEnd: "leave" }).output).toBe(output);
  });

  test("answer (the default) answers them", () => {
    expect(repair(history, { format }).problems).toEqual([]);
  });

  test("nobody adds a turn behind calls that are about to run", () => {
    const open = [H, { ...A("abcdefg01"), content: "" }];
    expect(repair(open, { provider: "mistral", danglingAtEnd: "leave" }).output).toBe(open);
  });
});

describe("notices", () => {
  afterEach(() => setLanguage("en"));
  const history = [A("a", "b"), T("a"), H];

  test("a generator replaces the words, and is told everything", () => {
    const asked: unknown[] = [];
    const { output } = repair(history, { format, notice: (call) => `${asked.push(call)} times` });
    expect(output[2]).toMatchObject({ content: "1 times" });
    expect(asked).toEqual([
      { id: "b", name: "pay", arguments: "{}", cause: "superseded", position: 0, language: "en" },
    ]);
  });

  test("a generator that throws, or gives no text, is reported, and the default is used", () => {
    const throwing = repair(history, {
      format,
      notice: () => {
        throw new Error("no words");
      },
    });
    expect(throwing.edits).toMatchObject([{ error: "no words" }]);
    expect(JSON.stringify(throwing.output)).toContain("was cancelled");
    const silent = repair(history, { format, notice: () => undefined as unknown as string });
    expect(silent.edits).toMatchObject([{ error: "it returned undefined, not a string" }]);
  });

  test("a generator that gives a promise is for repairAsync", async () => {
    const notice = (call: { id: string }) => Promise.resolve(`later ${call.id}`);
    expect(() => repair(history, { format, notice: notice as never })).toThrow(/repairAsync/u);
    const { output, edits } = await repairAsync(history, { format, notice });
    expect(output[2]).toMatchObject({ content: "later b" });
    expect(edits).toHaveLength(1);
    const failed = await repairAsync(history, { format, notice: () => Promise.reject(new Error("offline")) });
    expect(failed.edits).toMatchObject([{ error: "offline" }]);
    expect(await repairAsync(history, { format })).toEqual(repair(history, { format }));
    const healthy = [H];
    expect((await repairAsync(healthy, { format, notice })).output).toBe(healthy);
  });

  test("classic gives the superseded sentence for every cause but malformed and truncated", () => {
    const open = [A("a")];
    expect(JSON.stringify(repair(open, { format }).output)).toContain("has no recorded result");
    expect(JSON.stringify(repair(open, { format, notices: "classic" }).output)).toContain(
      "was cancelled - another message",
    );
    const cut = [
      { ...A("a"), tool_calls: [{ id: "a", type: "function", function: { name: "pay", arguments: '{"n":' } }] },
    ];
    expect(JSON.stringify(repair(cut, { format, notices: "classic" }).output)).toContain("were cut off");
  });

  test("the language is an option, and has a default for the process", () => {
    const chinese = "工具调用 pay(ID 为 b)已被取消——在其完成之前收到了另一条消息。";
    expect(repair(history, { format, language: "zh" }).output[2]).toMatchObject({ content: chinese });
    setLanguage("zh");
    expect(repair(history, { format }).output[2]).toMatchObject({ content: chinese });
    expect(JSON.stringify(repair(history, { format, language: "en" }).output)).toContain("was cancelled");
  });
});

describe("what is told about a change", () => {
  test("paths lead to what was there and to what is there now", () => {
    const history = [H, T("a", "early"), A("a"), H, A(`x${"y".repeat(50)}`), H];
    const { output, edits } = repair(history, { format });
    const at = (list: readonly unknown[], path: string | undefined): unknown =>
      path
        ?.replace("messages", "")
        .split(/[.[\]]+/u)
        .filter(Boolean)
        .reduce((value: unknown, key) => (value as Record<string, unknown>)[key], list);
    const renamed = edits.filter(({ type }) => type === "rename");
    expect(renamed.map(({ from }) => at(history, from))).toEqual(renamed.map(({ before }) => before));
    expect(edits.map(({ to }) => at(output, to))).toEqual(edits.map(({ after }) => after));
    expect(edits.map(({ rule, type }) => `${rule} ${type}`)).toEqual([
      "early-result move",
      "invalid-call-id rename",
      "unanswered-call insert",
    ]);
  });

  test("in anthropic the change of a result is that of its block", () => {
    const call = (id: string) => ({ type: "tool_use", id, name: "f", input: {} });
    const result = { type: "tool_result", tool_use_id: "t2", content: "r" };
    const history = [
      { role: "assistant", content: [call("t1"), call("t2")] },
      { role: "user", content: [result] },
    ];
    const { edits } = repair(history, { format: "anthropic" });
    expect(edits).toMatchObject([
      {
        rule: "unanswered-call",
        from: "messages[0].content[0]",
        to: "messages[1].content[0]",
        after: { tool_use_id: "t1", is_error: true },
      },
    ]);
  });

  test("a problem says where, what, and what is done about it", () => {
    expect(check([A("a"), H], { format })).toEqual([
      {
        rule: "unanswered-call",
        path: "messages[0].tool_calls[0]",
        message: "The call pay (a) has no result.",
        fix: expect.any(String) as string,
        repairable: true,
        confidence: "known",
        callId: "a",
      },
    ]);
  });
});
