import { check, repair } from "undangle";
import { describe, expect, test } from "vitest";

import { asks, calls, gemini, gives, says } from "../fixtures/build-gemini.ts";

/** The messages of a format by what they are, and a request with some of them. */
interface Words {
  readonly format: "anthropic" | "gemini" | "bedrock";
  readonly ask: object;
  readonly call: object;
  readonly answer: object;
  readonly result: object;
  readonly thanks: object;
  /** The result and words of the user in one message. */
  readonly both: object;
  readonly body: (messages: readonly object[]) => object;
}

const messages = (role: string, ...content: readonly object[]) => ({ role, content });
const text = (words: string) => ({ type: "text", text: words });
const use = { type: "tool_use", id: "toolu_1", name: "f", input: {} };
const used = { type: "tool_result", tool_use_id: "toolu_1", content: "7" };
const toolUse = { toolUse: { toolUseId: "t1", name: "f", input: {} } };
const toolResult = { toolResult: { toolUseId: "t1", content: [{ text: "7" }] } };

const formats: readonly Words[] = [
  {
    format: "anthropic",
    ask: messages("user", text("How warm?")),
    call: messages("assistant", use),
    answer: messages("assistant", text("It is 7 degrees.")),
    result: messages("user", used),
    thanks: messages("user", text("Thanks.")),
    both: messages("user", used, text("Thanks.")),
    body: (list) => ({
      model: "claude-sonnet-4-5",
      max_tokens: 99,
      tools: [{ name: "f", input_schema: { type: "object" } }],
      messages: list,
    }),
  },
  {
    format: "gemini",
    ask: asks("How warm?"),
    call: says(calls("f")),
    answer: says("It is 7 degrees."),
    result: asks(gives("f", { r: 7 })),
    thanks: asks("Thanks."),
    both: asks(gives("f", { r: 7 }), "Thanks."),
    body: (list) => gemini(list),
  },
  {
    format: "bedrock",
    ask: messages("user", { text: "How warm?" }),
    call: messages("assistant", toolUse),
    answer: messages("assistant", { text: "It is 7 degrees." }),
    result: messages("user", toolResult),
    thanks: messages("user", { text: "Thanks." }),
    both: messages("user", toolResult, { text: "Thanks." }),
    body: (list) => ({
      modelId: "anthropic.claude-sonnet-4-5",
      toolConfig: { tools: [{ toolSpec: { name: "f", inputSchema: { json: { type: "object" } } } }] },
      messages: list,
    }),
  },
];

describe.each(formats)("in a list of $format", ({ format, ask, call, answer, result, thanks, both, body }) => {
  const mend = (...list: readonly object[]) => {
    const { output, edits, problems } = repair(body(list) as Record<string, unknown>, { format });
    expect(problems).toEqual([]);
    expect(repair(output, { format }).output).toBe(output);
    return { list: output[format === "gemini" ? "contents" : "messages"], rules: edits.map(({ rule }) => rule) };
  };
  const healthy = [ask, call, result, answer, thanks];

  test("an answer stays behind the result that it speaks of, which came late", () => {
    expect(check(body(healthy), { format })).toEqual([]);
    expect(mend(ask, call, answer, result, thanks)).toEqual({ list: healthy, rules: ["displaced-result"] });
  });

  test("so it does where the result stands before its call, or behind the words of the user", () => {
    expect(mend(ask, result, call, answer, thanks).list).toEqual(healthy);
    expect(mend(ask, call, answer, thanks, result).list).toEqual(healthy);
  });

  test("and where the result is lost: the call has a notice, and the answer comes after it", () => {
    const { list, rules } = mend(ask, call, answer, thanks);
    expect(list).toEqual([ask, call, expect.anything(), answer, thanks]);
    expect(rules).toContain("unanswered-call");
    expect(JSON.stringify(list)).toContain("the conversation was interrupted");
  });

  test.each([
    ["is to go on", [ask, call, answer, result]],
    ["goes on", [ask, call, answer, result, answer, thanks]],
    ["is asked for more in the message of the result", [ask, call, answer, both]],
  ])("words behind a call are those of its turn where the assistant %s", (_, given) => {
    const { list } = mend(...given);
    const said = JSON.stringify(list);
    expect(said.indexOf("It is 7 degrees.")).toBeLessThan(said.search(/tool_result|functionResponse|toolResult/));
  });
});
