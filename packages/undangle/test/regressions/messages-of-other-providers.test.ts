import { check, repair } from "undangle";
import { describe, expect, test } from "vitest";

/** Messages as one provider gives them, which another one refuses: some were sent as they were. */
type Wire = Readonly<Record<string, unknown>>;

const user = (content: unknown): Wire => ({ role: "user", content });
const assistant = (content: unknown, rest: object = {}): Wire => ({ role: "assistant", content, ...rest });
const ask = user("Hi.");

describe("an assistant message at Mistral", () => {
  const model = "mistral-large-latest";
  const call = { id: "abcdefgh1", type: "function", function: { name: "f", arguments: "{}" } };
  const answered = { role: "tool", tool_call_id: call.id, content: "R" };
  const body = (message: Wire): Wire => ({
    model,
    messages: [ask, message, ...("tool_calls" in message ? [answered, assistant("R it is.")] : []), ask],
  });
  const options = { format: "openai-chat", provider: "mistral" } as const;

  test.each([
    ["reasoning_content", "what DeepSeek thought", false],
    ["reasoning", "what it thought", false],
    ["reasoning_details", [{ type: "reasoning.text", text: "hm" }], false],
    ["reasoning_content", "", true],
    ["refusal", null, true],
    ["annotations", [], true],
    ["audio", null, true],
    ["function_call", null, true],
  ])("has no %s: %j", (key, value, lossless) => {
    for (const rest of [{}, { tool_calls: [call] }]) {
      const given = body(assistant("x", { [key]: value, ...rest }));
      const { output, edits } = repair(given, options);
      expect(output).toEqual(body(assistant("x", rest)));
      expect(edits).toMatchObject([{ rule: "unknown-property", type: "remove", from: `messages[1].${key}`, lossless }]);
      expect(check(output, options)).toEqual([]);
    }
  });

  test("keeps its own, and behind OpenRouter those of OpenRouter", () => {
    const own = { model, messages: [ask, assistant([{ type: "thinking", thinking: [] }], { prefix: true })] };
    expect(repair(own, options)).toMatchObject({ output: own, edits: [] });
    const routed = {
      ...body(assistant("x", { reasoning_details: [], reasoning: "hm" })),
      model: "mistralai/devstral-2",
    };
    expect(repair(routed, { format: "openai-chat", provider: "openrouter" })).toMatchObject({
      output: routed,
      edits: [],
    });
  });
});

describe.each([
  ["xai", "grok-4"],
  ["zhipu", "glm-4.6"],
  ["moonshot", "kimi-k2-0905-preview"],
  ["mistral", "mistral-large-latest"],
] as const)("a refusal at %s", (provider, model) => {
  const options = { format: "openai-chat", provider } as const;
  const body = (message: Wire): Wire => ({ model, messages: [ask, message, ask] });

  test.each([[null], [""], [undefined], [[]], [[{ type: "text", text: "" }]]])("is what was said: %j", (content) => {
    const { output, edits } = repair(body(assistant(content, { refusal: "I can't." })), options);
    expect(output).toEqual(body(assistant("I can't.")));
    expect(edits).toMatchObject([{ rule: "empty-message", type: "move", lossless: true }]);
    expect(check(output, options)).toEqual([]);
  });

  test("without words is none", () => {
    const { output } = repair(body(assistant(null, { refusal: "" })), options);
    expect(output).toEqual({ model, messages: [ask, ask] });
  });
});

test("a refusal with its thoughts is what was said at Kimi too", () => {
  const options = { format: "openai-chat", provider: "moonshot" } as const;
  const given = [ask, assistant(null, { refusal: "I can't.", reasoning_content: "hm" }), ask];
  const said = [ask, assistant("I can't.", { reasoning_content: "hm" }), ask];
  expect(repair(given, options).output).toEqual(said);
});

describe("system messages between the turns of Claude", () => {
  const system = (content: unknown, rest: object = {}): Wire => ({ role: "system", content, ...rest });
  const text = (words: string): Wire => ({ type: "text", text: words });
  const use = assistant([{ type: "tool_use", id: "toolu_1", name: "f", input: {} }]);
  const result = user([{ type: "tool_result", tool_use_id: "toolu_1", content: "R" }]);
  const body = (...messages: readonly Wire[]): Wire => ({
    model: "claude-opus-4-8",
    max_tokens: 9,
    tools: [{ name: "f", input_schema: { type: "object" } }],
    messages,
  });
  const both = system([text("A"), text("B")]);

  test.each([
    ["that come in a row", body(ask, system("A"), system([text("B")]), use, result), body(ask, both, use, result)],
    [
      "that stand in a row behind results",
      body(ask, use, system("A"), result, system("B")),
      body(ask, use, result, both),
    ],
    [
      "that go to one place",
      body(ask, system("A"), ask, system("B"), ask, assistant("x"), ask),
      body(ask, ask, ask, both, assistant("x"), ask),
    ],
    [
      "of which one goes to the place of another",
      body(ask, system("A"), ask, system("B"), assistant("x"), ask),
      body(ask, ask, both, assistant("x"), ask),
    ],
  ])("become one: those %s", (_, given, expected) => {
    const { output, edits } = repair(given, { format: "anthropic" });
    expect(output).toEqual(expected);
    expect(edits.every(({ to }) => to !== undefined && !to.includes("-1"))).toBe(true);
    expect(edits.filter(({ rule }) => rule === "system-position")).not.toEqual([]);
    expect(edits.every(({ lossless }) => lossless)).toBe(true);
    expect(check(output, { format: "anthropic" })).toEqual([]);
  });

  test("are told where they are now", () => {
    const { edits } = repair(body(ask, system("A"), { role: "System", content: "B" }, use, result), {
      format: "anthropic",
    });
    expect(edits).toMatchObject([
      { rule: "unknown-role", from: "messages[2].role", to: "messages[1].role" },
      { rule: "system-position", type: "merge", from: "messages[2]", to: "messages[1]" },
    ]);
  });

  test("stay as they are where one does more than say something", () => {
    const directive = { role: "system", content: [], output_config: { effort: "low" } };
    const given = body(ask, system("A"), directive, use, result);
    expect(repair(given, { format: "anthropic" })).toMatchObject({ output: given, edits: [] });
  });
});
