import { check, repair } from "undangle";
import { describe, expect, test } from "vitest";

type Wire = Readonly<Record<string, unknown>>;

const user = (content: unknown): Wire => ({ role: "user", content });
const assistant = (content: unknown): Wire => ({ role: "assistant", content });
const system = (rest: object): Wire => ({ role: "system", ...rest });
const text = (words: string): Wire => ({ type: "text", text: words });
const use = (id: string, rest: object = {}): Wire => ({ type: "tool_use", id, name: "get", input: {}, ...rest });
const result = (id: string, content: unknown = "ok"): Wire => ({ type: "tool_result", tool_use_id: id, content });
const tool = { name: "get", input_schema: { type: "object" } };
const addition = { type: "tool_addition", tool: { type: "tool_definition", definition: tool } };

const claude = (rest: object): Wire => ({ model: "claude-opus-5-5", max_tokens: 9, ...rest });
const offering = (...messages: readonly Wire[]): Wire => claude({ tools: [tool], messages });
/** A thread that the server holds: tools and all that was said are there. */
const continuing = (...messages: readonly Wire[]): Wire =>
  claude({ thread: { type: "continue", previous_message_id: "msg_1" }, messages });

const called = (rest: object = {}): Wire => ({
  type: "function_call",
  call_id: "c1",
  name: "get",
  arguments: "{}",
  ...rest,
});
const asking = (...input: readonly Wire[]): Wire => ({ model: "gpt-4.1", input });
const update = { type: "configuration_update", reasoning: { effort: "low" } };
const search = { type: "custom_tool_call", call_id: "c1", name: "grep", input: "x", async: true };

describe("a request as the newer APIs take it is healthy:", () => {
  test.each<[string, Wire]>([
    ["a thread that goes on with words", continuing(user("Hi."))],
    ["a thread that goes on with results", continuing(user([result("a"), result("b")]))],
    ["a thread that goes on with results and words", continuing(user([result("a"), text("Go on.")]))],
    ["a thread that goes on without a message", continuing()],
    ["a thread with another turn", continuing(user([result("a")]), assistant([use("b")]), user([result("b")]))],
    ["a thread with words of the system", continuing(user([result("a")]), system({ content: "Be brief." }))],
    ["a thread that begins", claude({ tools: [tool], thread: { type: "create" }, messages: [user("Hi.")] })],
    ["a history to be summed up", claude({ compaction: { type: "summarize" }, messages: [user("a"), assistant("b")] })],
    ["a summary in front", offering(assistant([{ type: "compaction", content: "a", signature: "x" }]), user("b"))],
    ["a pause behind a summary", offering(user("a"), assistant([{ type: "compaction", content: "b" }]))],
    [
      "a listing of tools",
      offering(user("a"), assistant([{ type: "mcp_tool_listing", tools: [] }, text("b")]), user("c")),
    ],
    ["a fallback", offering(user("a"), assistant([{ type: "fallback", from: {}, to: {} }, text("b")]), user("c"))],
    [
      "a tool that comes in the middle",
      claude({ messages: [user("a"), system({ content: [addition] }), ...turn("b")] }),
    ],
    ["a tool in a summary", claude({ messages: [assistant([summaryWith(addition)]), user("a"), ...turn("b")] })],
    [
      "a tool that goes",
      offering(user("a"), system({ content: [{ ...addition, type: "tool_removal" }] }), ...turn("b")),
    ],
    [
      "a setting in the middle",
      offering(user("a"), system({ output_config: { effort: "low" } }), assistant("b"), user("c")),
    ],
    [
      "what a browser shows",
      claude({
        tools: [{ type: "browser_toolset_20260801" }],
        messages: [
          user("a"),
          assistant([use("b", { toolset_name: "browser" })]),
          user([result("b", [{ type: "browser_state" }])]),
        ],
      }),
    ],
  ])("%s, of Anthropic", (_, body) => {
    expect(check(body, { format: "anthropic" })).toEqual([]);
    expect(repair(body, { format: "anthropic" }).output).toBe(body);
  });

  test.each<[string, Wire]>([
    ["an asynchronous call without an output", asking(user("a"), called({ async: true }), user("b"))],
    ["one at the end", asking(user("a"), called({ async: true }))],
    ["one of a custom tool", asking(user("a"), search, user("b"))],
    ["a setting in the middle", asking(user("a"), update, assistant("b"), user("c"))],
  ])("%s, of OpenAI", (_, body) => {
    expect(check(body, { format: "openai-responses" })).toEqual([]);
    expect(repair(body, { format: "openai-responses" }).output).toBe(body);
  });
});

/** A call and its result. */
function turn(id: string): readonly Wire[] {
  return [assistant([use(id)]), user([result(id)])];
}

function summaryWith(change: Wire): Wire {
  return { type: "compaction", content: "a", tool_changes: [change] };
}

describe("what a thread goes on with is mended where it is damaged:", () => {
  test.each<[string, readonly Wire[], readonly unknown[]]>([
    ["a result that stands twice", [user([result("a"), result("a")])], [user([result("a")])]],
    ["two that differ", [user([result("a"), result("a", "no")])], [user([result("a", "ok\n\nno")])]],
    ["a result behind words", [user([text("b"), result("a")])], [user([result("a"), text("b")])]],
    ["a result without content", [user([result("a", null)])], [user([result("a", "")])]],
    [
      "a call of a later turn",
      [user([result("a")]), assistant([use("b")]), user("c")],
      [user([result("a")]), assistant([use("b")]), user([expect.objectContaining({ tool_use_id: "b" })]), user("c")],
    ],
  ])("%s", (_, messages, mended) => {
    const body = continuing(...messages);
    const { output } = repair(body, { format: "anthropic" });
    expect(output).toEqual({ ...body, messages: mended });
  });
});

test("a call that may not wait is answered beside one that may", () => {
  const waiting = called({ async: true });
  const open = called({ call_id: "c2" });
  const { output } = repair(asking(user("a"), waiting, open, user("b")), { format: "openai-responses" });
  const notice = { type: "function_call_output", call_id: "c2" };
  expect(output).toMatchObject({ input: [user("a"), waiting, open, notice, user("b")] });
});

test("a tool that comes at a wrong place is told of, and does not go where only text may stand", () => {
  const body = claude({ messages: [system({ content: [addition] }), user("a")] });
  const { output, problems } = repair(body, { format: "anthropic" });
  expect(output).toBe(body);
  expect(problems).toMatchObject([{ rule: "system-position", repairable: false }]);
});
