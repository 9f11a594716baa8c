import { convert } from "undangle";
import type { Format } from "undangle";
import { describe, expect, test } from "vitest";

const declare = (name: string) => ({ type: "function", function: { name, parameters: { type: "object" } } });
const call = (id: string, name: string) => ({ id, type: "function", function: { name, arguments: "{}" } });

/** A chat in which each of the tools is declared and called, and the first one is chosen. */
const chatOf = (...names: readonly string[]) => ({
  model: "gpt-4o",
  messages: [
    { role: "user", content: "Go." },
    { role: "assistant", content: null, tool_calls: names.map((name, i) => call(`call_${i}`, name)) },
    ...names.map((name, i) => ({ role: "tool", tool_call_id: `call_${i}`, content: `from ${name}` })),
  ],
  tools: names.map(declare),
  tool_choice: { type: "function", function: { name: names[0] } },
});

/** Every name in an output, by what it is the name of. */
function namesIn(output: unknown) {
  const found = { declared: [] as string[], called: [] as string[], answered: [] as string[] };
  const { tools, contents = [], messages = [], toolConfig } = output as Record<string, never>;
  const declarations = (tools as { functionDeclarations?: { name: string }[]; name?: string }[] | undefined) ?? [];
  for (const { functionDeclarations, name } of declarations) {
    found.declared.push(...(functionDeclarations?.map((one) => one.name) ?? [name ?? ""]));
  }
  const specs = (toolConfig as { tools?: { toolSpec: { name: string } }[] } | undefined)?.tools ?? [];
  found.declared.push(...specs.map(({ toolSpec }) => toolSpec.name));
  JSON.stringify([contents, messages], (key, value: { name: string }) => {
    if (key === "functionCall" || key === "toolUse") found.called.push(value.name);
    if (key === "functionResponse") found.answered.push(value.name);
    if (typeof value === "object" && (value as { type?: string } | null)?.type === "tool_use") {
      found.called.push(value.name);
    }
    return value;
  });
  return found;
}

describe("the name of a tool", () => {
  test("that the source refuses and the target takes stays, everywhere", () => {
    const { output, losses } = convert(chatOf("fs.read"), { from: "openai-chat", to: "gemini" });
    expect(namesIn(output)).toEqual({ declared: ["fs.read"], called: ["fs.read"], answered: ["fs.read"] });
    expect(output).toHaveProperty("toolConfig.functionCallingConfig.allowedFunctionNames", ["fs.read"]);
    expect(losses).toEqual([]);
  });

  test("does not become that of another tool", () => {
    const { output } = convert(chatOf("a.b", "a_b"), { from: "openai-chat", to: "gemini" });
    expect(namesIn(output)).toEqual({ declared: ["a.b", "a_b"], called: ["a.b", "a_b"], answered: ["a.b", "a_b"] });
  });

  test.each(["anthropic", "bedrock"] as const)("is one that %s takes for a tool, and no two are the same", (to) => {
    const gemini = convert(chatOf("a.b", "a_b"), { from: "openai-chat", to: "gemini" }).output;
    for (const [from, input] of [
      ["openai-chat", chatOf("a.b", "a_b")],
      ["gemini", gemini],
    ] as const) {
      const { output, losses } = convert(input, { from, to });
      const { declared, called } = namesIn(output);
      expect(declared).toEqual([expect.stringMatching(/^a_b_[0-9a-f]{8}$/u), "a_b"]);
      expect(called).toEqual(declared);
      expect(losses.map(({ what }) => what)).toEqual(["the name a.b of a tool"]);
    }
  });

  test("is one that the model of the input takes, where that is kept", () => {
    const { output } = convert(chatOf("fs.read"), { from: "openai-chat", to: "langchain" });
    expect(output).toMatchObject({
      messages: [{}, { tool_calls: [{ name: "fs_read" }] }, { name: "fs_read" }],
      tools: [{ function: { name: "fs_read" } }],
      tool_choice: { function: { name: "fs_read" } },
    });
  });

  test("is the same in the notice for a call without a result", () => {
    const messages = [...chatOf("fs.read").messages.slice(0, 2), { role: "user", content: "Stop." }];
    const said = (to: Format) => JSON.stringify(convert(messages, { from: "openai-chat", to }).output);
    expect(said("gemini")).toContain("Tool call fs.read with id call_0");
    expect(said("bedrock")).toContain("Tool call fs_read with id call_0");
  });

  test("is the same where the repair of the source had to declare the tool", () => {
    const messages = [
      { role: "user", content: [{ text: "Go." }] },
      { role: "assistant", content: [{ toolUse: { toolUseId: "tooluse_1", name: "a.b", input: {} } }] },
      { role: "user", content: [{ toolResult: { toolUseId: "tooluse_1", content: [{ text: "x" }] } }] },
    ];
    const { output } = convert({ modelId: "us.amazon.nova-pro-v1:0", messages }, { from: "bedrock", to: "gemini" });
    expect(namesIn(output)).toEqual({ declared: ["a.b"], called: ["a.b"], answered: ["a.b"] });
  });
});

describe("a choice among some of the tools", () => {
  const names = ["a", "b"];
  const body = {
    ...chatOf("a", "b", "c"),
    tool_choice: {
      type: "allowed_tools",
      allowed_tools: { mode: "required", tools: names.map((name) => ({ type: "function", function: { name } })) },
    },
  };

  test("has a place in gemini, and comes back", () => {
    const { output, losses } = convert(body, { to: "gemini" });
    expect(output).toHaveProperty("toolConfig.functionCallingConfig", { mode: "ANY", allowedFunctionNames: names });
    expect(losses).toEqual([]);
    expect(convert(output, { to: "openai-chat" }).output).toHaveProperty("tool_choice", body.tool_choice);
  });

  test("has a place in Responses", () => {
    expect(convert(body, { to: "openai-responses" }).output).toHaveProperty("tool_choice", {
      type: "allowed_tools",
      mode: "required",
      tools: names.map((name) => ({ type: "function", name })),
    });
  });

  test("is a loss elsewhere", () => {
    const { output, losses } = convert(body, { to: "anthropic" });
    expect(output).toHaveProperty("tool_choice", { type: "any" });
    expect(losses.map(({ path }) => path)).toEqual(["tool_choice"]);
  });
});

describe("strict arguments", () => {
  test("are a loss at the place where they stand", () => {
    const strict = { type: "function", function: { name: "a", parameters: { type: "object" }, strict: true } };
    const lost = (input: unknown, from: Format) =>
      convert(input, { from, to: "gemini" }).losses.map(({ path }) => path);
    expect(lost({ ...chatOf("a"), tools: [strict] }, "openai-chat")).toEqual(["tools[0].function.strict"]);
    const toolSpec = { name: "a", inputSchema: { json: { type: "object" } }, strict: true };
    const messages = [{ role: "user", content: [{ text: "Go." }] }];
    expect(lost({ modelId: "m", messages, toolConfig: { tools: [{ toolSpec }] } }, "bedrock")).toEqual([
      "toolConfig.tools[0].toolSpec.strict",
    ]);
  });
});
