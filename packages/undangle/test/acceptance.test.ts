import { check, repair } from "undangle";
import type { RepairOptions } from "undangle";
import { describe, expect, test } from "vitest";

/**
 * Pairing cases in short notation: `H` a user message, `S` a system message, `A(a,b)` an assistant message with calls,
 * `T(a)` a result; `T*(a)` one that the repair made; `A*(a)` a call that it restored.
 */
type Message = Record<string, unknown>;

const H = (content = "and?"): Message => ({ role: "user", content });
const S: Message = { role: "system", content: "Be brief." };
const text = (content: string): Message => ({ role: "assistant", content });
const T = (id: string, content = `output of ${id}`): Message => ({ role: "tool", tool_call_id: id, content });

function A(...ids: readonly (string | undefined)[]): Message {
  const tool_calls = ids.map((id, n) => ({
    ...(id === undefined ? {} : { id }),
    type: "function",
    function: { name: `tool_${id || n}`, arguments: `{"n":${n}}` },
  }));
  return { role: "assistant", content: null, tool_calls };
}

const idsOf = (message: Message | undefined): string[] =>
  ((message?.["tool_calls"] ?? []) as { id: string }[]).map(({ id }) => id);

/** The output in short notation. */
function shape(output: readonly Message[], input: readonly Message[]): string {
  const isGiven = (message: Message): boolean => input.some((one) => sameCalls(one, message));
  return output
    .map((message) => {
      if (message["role"] === "user") return "H";
      if (message["role"] === "system") return "S";
      if (message["role"] === "tool") {
        const star = input.some((one) => one["role"] === "tool" && one["content"] === message["content"]) ? "" : "*";
        return `T${star}(${String(message["tool_call_id"])})`;
      }
      return idsOf(message).length === 0 ? "A" : `A${isGiven(message) ? "" : "*"}(${idsOf(message).join(",")})`;
    })
    .join(" ");
}

const sameCalls = (a: Message, b: Message): boolean => idsOf(a).join() === idsOf(b).join();

function mended(input: readonly Message[], options: RepairOptions = {}): { output: readonly Message[]; shape: string } {
  const { output, problems } = repair(input, { format: "openai-chat", ...options });
  expect(problems).toEqual([]);
  return { output, shape: shape(output, input) };
}

describe("no change", () => {
  test.each([
    ["A2: system and user", [S, H()]],
    ["A2: an answer without calls", [H(), text("hi"), H()]],
    ["A3: every call answered", [H(), A("1"), T("1"), H()]],
  ])("%s", (_, input) => {
    expect(repair(input, { format: "openai-chat" }).output).toBe(input);
  });

  test("A2: tool_calls [] loses its key, since OpenAI refuses it", () => {
    const { output, edits } = repair([H(), { ...text("hi"), tool_calls: [] }, H()], { format: "openai-chat" });
    expect(output[1]).toEqual(text("hi"));
    expect(edits).toMatchObject([{ rule: "empty-tool-calls", type: "remove" }]);
  });
});

describe("pairing", () => {
  test.each<[name: string, input: Message[], expected: string, options?: RepairOptions]>([
    ["A4", [S, H(), A("123"), H()], "S H A(123) T*(123) H"],
    ["A5", [S, H(), A("123"), H(), A("456"), H()], "S H A(123) T*(123) H A(456) T*(456) H"],
    ["A7", [H(), A("call_1", "call_2")], "H A(call_1,call_2) T*(call_1) T*(call_2)"],
    ["A8", [A("1"), H(), A("2"), H()], "A(1) T*(1) H A(2) T*(2) H"],
    ["A9", [H(), A("1", "2"), T("2"), H()], "H A(1,2) T*(1) T(2) H"],
    ["A10 with drop", [T("orphan"), H(), A("1"), T("1"), T("other"), H()], "H A(1) T(1) H", { orphans: "drop" }],
    ["A10 with restore", [T("orphan"), H()], "A*(orphan) T(orphan) H"],
    [
      "A11 with drop",
      [T("o1"), T("o2"), A("ls1", "ls2"), A("todos"), T("ls1")],
      "A(ls1,ls2) T(ls1) T*(ls2) A(todos) T*(todos)",
      { orphans: "drop" },
    ],
    [
      "A11 with restore",
      [T("o1"), T("o2"), A("ls1", "ls2"), A("todos"), T("ls1")],
      "A*(o1,o2) T(o1) T(o2) A(ls1,ls2) T(ls1) T*(ls2) A(todos) T*(todos)",
    ],
    ["A13", [H(), A("1", "2", "3"), T("1")], "H A(1,2,3) T(1) T*(2) T*(3)"],
    ["A18: a result before its call", [T("a"), A("a")], "A(a) T(a)"],
    ["A19: a result behind the next message", [A("a"), H(), T("a")], "A(a) T(a) H"],
    ["A21: an id used twice", [A("a"), H(), A("a"), T("a")], "A(a) T*(a) H A(a) T(a)"],
    ["A24: call order", [A("a", "b", "c"), T("c"), T("a"), H()], "A(a,b,c) T(a) T*(b) T(c) H"],
  ])("%s", (_, input, expected, options) => {
    expect(mended(input, options).shape).toBe(expected);
  });

  test("A4, A6: the notice stands directly behind its call, with its name and words that are true", () => {
    const { output } = mended([H(), A("call_123"), H()]);
    expect(output[2]).toEqual({
      role: "tool",
      tool_call_id: "call_123",
      name: "tool_call_123",
      content:
        "Tool call tool_call_123 with id call_123 was cancelled - another message came in before it could be completed.",
    });
  });

  test("A20: two results for one call become one, and both texts stay", () => {
    const { output } = mended([A("a"), T("a", "1"), T("a", "2")]);
    expect(output).toEqual([A("a"), T("a", "1\n\n2")]);
    expect(mended([A("a"), T("a", "1"), T("a", "2")], { duplicates: "last" }).output).toEqual([A("a"), T("a", "2")]);
    expect(mended([A("a"), T("a", "1"), T("a", "1")]).output).toEqual([A("a"), T("a", "1")]);
  });

  test("A22: two calls with one id are told apart, and their results by order", () => {
    const { output } = mended([A("a", "a"), T("a", "first"), T("a", "second")]);
    const [first, second] = idsOf(output[0]);
    expect(first).toBe("a");
    expect(second).not.toBe("a");
    expect(output.slice(1)).toEqual([T("a", "first"), T(String(second), "second")]);
  });

  test.each([[undefined], [""]])("A23: a call with the id %j gets one, and its result stays", (id) => {
    const { output } = mended([A(id), T("", "kept"), H()]);
    const [minted] = idsOf(output[0]);
    expect(minted).toMatch(/^call_[0-9a-f]{24}$/u);
    expect(output[1]).toEqual(T(String(minted), "kept"));
    expect(idsOf(mended([A(id), T("r1", "kept"), H()]).output[0])).toEqual(["r1"]);
  });
});

describe("A37: a notice differs by cause", () => {
  const withArguments = (args: string): Message => ({
    role: "assistant",
    content: null,
    tool_calls: [{ id: "x", type: "function", function: { name: "pay", arguments: args } }],
  });

  test.each<[cause: string, input: Message[], ending: string]>([
    [
      "superseded",
      [withArguments("{}"), H()],
      " was cancelled - another message came in before it could be completed.",
    ],
    [
      "interrupted at the end",
      [H(), withArguments("{}")],
      " has no recorded result - the conversation was interrupted. It may or may not have run.",
    ],
    [
      "interrupted before an answer",
      [withArguments("{}"), text("hm"), H()],
      " has no recorded result - the conversation was interrupted. It may or may not have run.",
    ],
    [
      "superseded behind a system message",
      [withArguments("{}"), S, H()],
      " was cancelled - another message came in before it could be completed.",
    ],
    ["malformed", [withArguments("{a:1}"), H()], " was not executed - its arguments were not valid JSON."],
    ["truncated", [withArguments('{"a": "b'), H()], " was not executed - its arguments were cut off."],
  ])("%s", (_, input, ending) => {
    const notice = mended(input).output.find((message) => message["role"] === "tool");
    expect(notice?.["content"]).toBe(`Tool call pay with id x${ending}`);
  });

  test("a result that is an error says so in formats that have a mark for it", () => {
    const call = { type: "tool_use", id: "t1", name: "pay", input: {} };
    const { output } = repair([{ role: "assistant", content: [call] }, H()], { format: "anthropic" });
    expect(output[1]).toMatchObject({ content: [{ type: "tool_result", tool_use_id: "t1", is_error: true }] });
  });
});

test("a history that needs nothing has no problems", () => {
  expect(check([H(), A("a"), T("a")], { format: "openai-chat" })).toEqual([]);
});
