/** The pairing cases of the acceptance list, on messages of LangChain. */
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { check, repair } from "undangle";
import type { RepairOptions } from "undangle";
import { describe, expect, test } from "vitest";

const S = new SystemMessage("Be brief.");
const H = (text = "and?"): HumanMessage => new HumanMessage(text);
const T = (id: string, content = `output of ${id}`): ToolMessage => new ToolMessage({ content, tool_call_id: id });
const A = (...ids: readonly string[]): AIMessage =>
  new AIMessage({ content: "", tool_calls: ids.map((id, n) => ({ id, name: `tool_${id}`, args: { n } })) });
const said = (text: string, more: object = {}): AIMessage => new AIMessage({ content: text, ...more });

/** The messages in short notation: `T*` for a result and `A*` for a call that the repair made. */
function shape(output: readonly BaseMessage[], input: readonly BaseMessage[]): string {
  return output
    .map((message) => {
      const star = input.some((one) => one.type === message.type && one.text === message.text) ? "" : "*";
      if (ToolMessage.isInstance(message)) return `T${star}(${message.tool_call_id})`;
      if (!AIMessage.isInstance(message)) return message.type === "human" ? "H" : "S";
      const ids = (message.tool_calls ?? []).map(({ id }) => id);
      const isGiven = input.some(
        (one) => AIMessage.isInstance(one) && String(one.tool_calls?.map(({ id }) => id)) === String(ids),
      );
      return `A${isGiven ? "" : "*"}(${ids.join(",")})`;
    })
    .join(" ");
}

function mended(input: BaseMessage[], options: RepairOptions = {}): { output: BaseMessage[]; shape: string } {
  const { output, problems, format } = repair(input, options);
  expect(format).toBe("langchain");
  expect(problems).toEqual([]);
  expect(check(output)).toEqual([]);
  return { output, shape: shape(output, input) };
}

describe("no change", () => {
  test.each<[string, BaseMessage[]]>([
    ["A2: system and human", [S, H()]],
    ["A2: an answer without calls", [H(), said("hi"), H()]],
    ["A2: tool_calls []", [H(), said("hi", { tool_calls: [] }), H()]],
    ["A2: tool_calls null", [H(), Object.assign(said("hi"), { tool_calls: null }), H()]],
    ["A3: every call answered", [H(), A("1"), T("1"), H()]],
  ])("%s", (_, input) => {
    expect(check(input)).toEqual([]);
    expect(repair(input).output).toBe(input);
  });

  test("A1: no messages stay no messages", () => {
    const input: BaseMessage[] = [];
    expect(repair(input, { format: "langchain" }).output).toBe(input);
  });
});

const drop = { orphans: "drop" } as const;

describe("pairing", () => {
  test.each<[name: string, input: BaseMessage[], expected: string, options?: RepairOptions]>([
    ["A4", [S, H(), A("123"), H()], "S H A(123) T*(123) H"],
    ["A5", [S, H(), A("123"), H(), A("456"), H()], "S H A(123) T*(123) H A(456) T*(456) H"],
    ["A6", [H(), A("call_123"), H()], "H A(call_123) T*(call_123) H"],
    ["A7", [H(), A("call_1", "call_2")], "H A(call_1,call_2) T*(call_1) T*(call_2)"],
    ["A8", [A("1"), H(), A("2"), H()], "A(1) T*(1) H A(2) T*(2) H"],
    ["A9", [H(), A("1", "2"), T("2"), H()], "H A(1,2) T*(1) T(2) H"],
    ["A10 with drop", [T("orphan"), H(), A("1"), T("1"), T("other"), H()], "H A(1) T(1) H", drop],
    ["A10 with restore", [T("orphan"), H()], "A*(orphan) T(orphan) H"],
    [
      "A11 with drop",
      [T("o1"), T("o2"), A("ls1", "ls2"), A("todos"), T("ls1")],
      "A(ls1,ls2) T(ls1) T*(ls2) A(todos) T*(todos)",
      drop,
    ],
    [
      "A11",
      [T("o1"), T("o2"), A("ls1", "ls2"), A("todos"), T("ls1")],
      "A*(o1,o2) T(o1) T(o2) A(ls1,ls2) T(ls1) T*(ls2) A(todos) T*(todos)",
    ],
    ["A13", [H(), A("1", "2", "3"), T("1")], "H A(1,2,3) T(1) T*(2) T*(3)"],
    ["A18", [T("a"), A("a")], "A(a) T(a)"],
    ["A19", [A("a"), H(), T("a")], "A(a) T(a) H"],
    ["A21", [A("a"), H(), A("a"), T("a")], "A(a) T*(a) H A(a) T(a)"],
    ["A24", [A("a", "b", "c"), T("c"), T("a"), H()], "A(a,b,c) T(a) T*(b) T(c) H"],
  ])("%s", (_, input, expected, options) => {
    expect(mended(input, options).shape).toBe(expected);
  });

  test("A4, A6: a notice has the name of its tool, the id of its call and an error mark, and says what happened", () => {
    const { output } = mended([S, H(), A("123"), H()]);
    expect(output[3]).toMatchObject({ name: "tool_123", tool_call_id: "123", status: "error" });
    expect(output[3]?.text).toContain("cancelled");
  });

  test("A19: the result itself is moved, and not a copy of it", () => {
    const result = T("a");
    expect(mended([A("a"), H(), result]).output[1]).toBe(result);
  });

  test("A20: one result, which says what both said; equal ones are one", () => {
    expect(mended([A("a"), T("a", "1"), T("a", "2")]).output.map(({ text }) => text)).toEqual(["", "1\n\n2"]);
    expect(mended([A("a"), T("a", "1"), T("a", "1")]).output.map(({ text }) => text)).toEqual(["", "1"]);
  });

  test("A22: ids that stand twice are told apart", () => {
    const calls = [1, 2].map((n) => ({ id: "a", name: "look", args: { n } }));
    const { output } = mended([H(), new AIMessage({ content: "", tool_calls: calls }), H()]);
    const ids = (output[1] as AIMessage).tool_calls?.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(output.slice(2, 4).map((message) => (message as ToolMessage).tool_call_id)).toEqual(ids);
  });

  test.each([undefined, ""])("A23: a call with the id %j gets one, and its result is kept", (id) => {
    const call = { name: "look", args: {}, ...(id === undefined ? {} : { id }) };
    const { output } = mended([H(), new AIMessage({ content: "", tool_calls: [call] }), T("", "real"), H()]);
    const given = (output[1] as AIMessage).tool_calls?.[0]?.id;
    expect(given).toMatch(/^call_[0-9a-f]{24}$/u);
    expect(output[2]).toMatchObject({ tool_call_id: given, content: "real" });
  });

  test.each([
    { type: "tool_use", id: "c", name: "look", input: { n: 1 } },
    { type: "tool_call", id: "c", name: "look", args: { n: 1 } },
    { type: "function_call", id: "fc_1", call_id: "c", name: "look", arguments: '{"n":1}' },
  ])("A25: a call that stands in the content only as $type is paired", (block) => {
    const { output } = mended([H(), new AIMessage({ content: [block] }), H()]);
    expect((output[1] as AIMessage).tool_calls).toMatchObject([{ id: "c", name: "look", args: { n: 1 } }]);
    expect(output[1]?.content).toEqual(block.type === "function_call" ? "" : [block]); // clients send that one on
    expect(output[2]).toMatchObject({ tool_call_id: "c", status: "error" });
  });

  test("A26: the result of a call that could not be parsed is kept", () => {
    const invalid = { id: "c", name: "look", args: '{"n":', error: "Malformed args." };
    const result = T("c", "not run");
    const { output } = mended([H(), new AIMessage({ content: "", invalid_tool_calls: [invalid] }), result, H()]);
    expect(output[2]).toBe(result);
    expect((output[1] as AIMessage).tool_calls).toMatchObject([{ id: "c", name: "look", args: { _raw: '{"n":' } }]);
  });

  test("A37: notices differ by cause and are all marked as errors", () => {
    const invalid = (args: string): AIMessage =>
      new AIMessage({ content: "", invalid_tool_calls: [{ id: "c", name: "look", args, error: "" }] });
    const notice = (input: BaseMessage[]): string => {
      const result = mended(input).output.find((message) => ToolMessage.isInstance(message));
      expect(result).toMatchObject({ status: "error", tool_call_id: "c" });
      return result?.text ?? "";
    };
    expect(notice([H(), A("c"), H()])).toMatch(/was cancelled - another message came in/u);
    expect(notice([H(), A("c")])).toMatch(/has no recorded result - the conversation was interrupted/u);
    expect(notice([H(), invalid('{"n":'), H()])).toMatch(/was not executed - its arguments were cut off/u);
    expect(notice([H(), invalid("{n: 1}"), H()])).toMatch(/was not executed - its arguments were not valid JSON/u);
  });
});
