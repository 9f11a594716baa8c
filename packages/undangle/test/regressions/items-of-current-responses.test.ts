import { check, convert, repair } from "undangle";
import { describe, expect, test } from "vitest";

const format = "openai-responses";
const user = { role: "user", content: "go" };

/** One item of each type that the SDK of OpenAI (7.x, stable and beta) takes as input, with what belongs to it. */
const items: readonly (readonly [type: string, ...items: readonly object[]])[] = [
  ["message", { type: "message", role: "developer", content: [{ type: "input_text", text: "Be kind." }] }],
  [
    "message",
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      phase: "commentary",
      content: [
        { type: "output_text", text: "a", annotations: [] },
        { type: "refusal", refusal: "no" },
      ],
    },
  ],
  ["file_search_call", { type: "file_search_call", id: "fs_1", queries: ["q"], status: "completed", results: null }],
  ["web_search_call", { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } }],
  ["image_generation_call", { type: "image_generation_call", id: "ig_1", result: "aGk=", status: "completed" }],
  [
    "code_interpreter_call",
    { type: "code_interpreter_call", id: "ci_1", code: "1", container_id: "c", outputs: null, status: "completed" },
  ],
  ["additional_tools", { type: "additional_tools", role: "developer", tools: [{ type: "web_search" }] }],
  ["configuration_update", { type: "configuration_update", reasoning: { effort: "low" } }],
  ["compaction", { type: "compaction", encrypted_content: "gAAAAABx" }],
  ["compaction_trigger", { type: "compaction_trigger" }],
  [
    "mcp_list_tools",
    { type: "mcp_list_tools", id: "mcpl_1", server_label: "s", tools: [] },
    { type: "mcp_call", id: "mcp_1", server_label: "s", name: "n", arguments: "{}", output: "o" },
  ],
  [
    "mcp_approval_request",
    { type: "mcp_approval_request", id: "mcpr_1", server_label: "s", name: "n", arguments: "{}" },
    { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
  ],
  [
    "program",
    { type: "program", id: "prog_1", call_id: "p1", code: "run()", fingerprint: "f" },
    {
      type: "function_call",
      call_id: "f1",
      name: "run",
      arguments: "{}",
      caller: { type: "program", caller_id: "p1" },
    },
    { type: "function_call_output", call_id: "f1", output: "1", caller: { type: "program", caller_id: "p1" } },
    { type: "program_output", id: "progo_1", call_id: "p1", result: "ran well", status: "completed" },
  ],
  [
    "shell_call",
    { type: "shell_call", call_id: "s1", action: { commands: ["ls"] } },
    { type: "shell_call_output", call_id: "s1", output: [{ stdout: "a", stderr: "", outcome: { type: "timeout" } }] },
  ],
  [
    "apply_patch_call",
    { type: "apply_patch_call", call_id: "a1", status: "completed", operation: { type: "delete_file", path: "x" } },
    { type: "apply_patch_call_output", call_id: "a1", status: "failed", output: "not there" },
  ],
  [
    "tool_search_call",
    { type: "tool_search_call", call_id: "t1", execution: "client", arguments: { query: "q" } },
    { type: "tool_search_output", call_id: "t1", execution: "client", tools: [{ type: "function", name: "found" }] },
  ],
  [
    "agent_message",
    {
      type: "agent_message",
      author: "a",
      recipient: "b",
      content: [
        { type: "input_text", text: "hi" },
        { type: "encrypted_content", encrypted_content: "x" },
      ],
    },
  ],
  [
    "multi_agent_call",
    { type: "multi_agent_call", action: "list_agents", call_id: "m1", arguments: "{}" },
    {
      type: "multi_agent_call_output",
      action: "list_agents",
      call_id: "m1",
      output: [{ type: "output_text", text: "none", annotations: [] }],
    },
  ],
];

describe("items of the current Responses API", () => {
  test.each(items)("%s is left as it is", (_, ...own) => {
    const body = { model: "gpt-4.1", input: [user, ...own] };
    expect(check(body, { format })).toEqual([]);
    expect(repair(body, { format }).output).toBe(body);
    const damaged = { model: "gpt-4.1", input: [user, ...own, { type: "function_call", call_id: "x", name: "n" }] };
    const { output } = repair(damaged, { format });
    own.forEach((item, i) => expect(output.input[i + 1]).toBe(item));
  });

  test.each([
    ["program", "ran well"],
    ["apply_patch_call", "not there"],
    ["tool_search_call", "found"],
    ["multi_agent_call", "none"],
  ])("what %s gave is kept by convert", (type, text) => {
    const own = items.find(([each]) => each === type)?.slice(1) ?? [];
    for (const to of ["openai-chat", "anthropic", "gemini", "bedrock", "ai-sdk", "langchain", "ollama"] as const) {
      const { output } = convert({ model: "gpt-4.1", input: [user, ...own, user] }, { from: format, to });
      expect(JSON.stringify(output)).toContain(text);
    }
  });
});

const long = `msg_${"x".repeat(61)}`;
const said = (id: string): object => ({ type: "message", role: "assistant", id, content: "hello" });

describe("item ids that the API does not take", () => {
  test.each([
    ["a message", said(long)],
    ["a message with the id of another format", said("item_9")],
    ["a call", { type: "function_call", id: `fc_${long}`, call_id: "c", name: "n", arguments: "{}" }],
    ["a search", { type: "web_search_call", id: `ws_${long}`, status: "completed" }],
  ])("%s loses its id and nothing else", (_, item) => {
    const output = { type: "function_call_output", call_id: "c", output: "1" };
    const input = [user, item, ...("call_id" in item ? [output] : [])];
    const [problem] = check({ model: "gpt-4.1", input }, { format });
    expect(problem?.rule).toMatch(/^item-id-(?:length|prefix)$/u);
    const repaired = repair({ model: "gpt-4.1", input }, { format });
    const { id: _id, ...rest } = item as { readonly id?: string };
    expect(repaired.output.input[1]).toEqual(rest);
    expect(repaired.problems).toEqual([]);
    expect(repair(repaired.output, { format }).output).toBe(repaired.output);
  });

  test("an approval still names its request, by a shorter id", () => {
    const id = `mcpr_${long}`;
    const { output } = repair(
      {
        model: "gpt-4.1",
        input: [
          user,
          { type: "mcp_approval_request", id, server_label: "s", name: "n", arguments: "{}" },
          { type: "mcp_approval_response", approval_request_id: id, approve: true },
        ],
      },
      { format },
    );
    const [, request, response] = output.input as readonly Record<string, string>[];
    expect(request?.["id"]).toMatch(/^mcpr_[0-9a-f]{24}$/u);
    expect(response?.["approval_request_id"]).toBe(request?.["id"]);
  });

  test("other servers may have longer ones", () => {
    expect(check([user, said(long)], { format, provider: "openrouter" })).toEqual([]);
  });
});

describe("messages whose reasoning is gone", () => {
  const call = { type: "function_call", id: "fc_1", call_id: "c", name: "n", arguments: "{}" };
  const result = { type: "function_call_output", call_id: "c", output: "1" };
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAABx" };
  const forged = { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "not a token" };

  test.each<[name: string, model: string, input: readonly object[], confidence: string]>([
    ["it was never sent", "gpt-5.5", [user, said("msg_1"), user], "likely"],
    ["it is removed", "gpt-4.1", [user, forged, said("msg_1"), user], "known"],
    ["the last of two is removed", "gpt-5.5", [user, reasoning, forged, said("msg_1"), user], "known"],
    ["it is removed before a call of the same turn", "gpt-4.1", [user, forged, call, result, said("msg_1")], "known"],
  ])("lose their ids: %s", (_, model, input, confidence) => {
    const message = input.find((item) => "role" in item && item.role === "assistant") ?? {};
    const own = check({ model, input }, { format }).find(({ path }) => path === `input[${input.indexOf(message)}].id`);
    expect(own).toMatchObject({ rule: "missing-reasoning", confidence });
    const { output, problems } = repair({ model, input }, { format });
    expect(problems).toEqual([]);
    expect(JSON.stringify(output)).not.toContain('"msg_1"');
    expect(JSON.stringify(output)).toContain('"hello"');
    expect(repair(output, { format }).output).toBe(output);
  });

  test.each<[name: string, model: string, input: readonly object[]]>([
    ["it stands before the message", "gpt-5.5", [user, reasoning, said("msg_1"), user]],
    ["it stands before a call of the same turn", "gpt-5.5", [user, reasoning, call, result, said("msg_1"), user]],
    ["the model does not reason", "gpt-4.1", [user, said("msg_1"), user]],
  ])("keep their ids: %s", (_, model, input) => {
    const body = { model, input };
    expect(check(body, { format })).toEqual([]);
    expect(repair(body, { format }).output).toBe(body);
  });
});
