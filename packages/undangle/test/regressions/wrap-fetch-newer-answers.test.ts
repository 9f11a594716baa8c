import { describe, expect, test } from "vitest";
import { named, passedThrough, responseOf, ways } from "../clients/passed-through.ts";
import type { Typed } from "../clients/passed-through.ts";
import { numbered } from "../clients/response-events.ts";

const anthropic = (
  reason: string,
  ...blocks: readonly (readonly [block: Typed, ...deltas: readonly Typed[]])[]
): string =>
  named(
    {
      type: "message_start",
      message: { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], usage: { input_tokens: 1 } },
    },
    ...blocks.flatMap(([block, ...deltas], index) => [
      { type: "content_block_start", index, content_block: block },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  );

const said = [
  { type: "text", text: "" },
  { type: "text_delta", text: "Hi." },
] as const;
const called = (name: string, rest: object): readonly [Typed, Typed] => [
  { type: "tool_use", id: "toolu_1", name, input: {}, ...rest },
  { type: "input_json_delta", partial_json: '{"tab_id":1}' },
];
const tool = { name: "get", input_schema: { type: "object" } };
const added = {
  role: "system",
  content: [{ type: "tool_addition", tool: { type: "tool_definition", definition: tool } }],
};
const asked = { model: "m", max_tokens: 9, stream: true, messages: [{ role: "user", content: "Hi." }] };
const messages = "https://api.anthropic.com/v1/messages";

describe("an answer of Anthropic's newer APIs passes as it came:", () => {
  const summary = { type: "compaction_delta", content: "a", encrypted_content: "b" };
  const cases: readonly [string, string, object?][] = [
    ["a summary", anthropic("compaction", [{ type: "compaction", content: null }, summary])],
    ["a fallback", anthropic("end_turn", [{ type: "fallback", from: { model: "a" }, to: { model: "b" } }], said)],
    [
      "a listing of tools",
      anthropic("end_turn", [{ type: "mcp_tool_listing", mcp_server_name: "a", tools: [] }], said),
    ],
    [
      "a call of a tool of a set",
      anthropic("tool_use", called("close_tab", { toolset_name: "browser", caller: { type: "direct" } })),
      { tools: [tool, { type: "browser_toolset_20260801" }] },
    ],
    [
      "a call of a tool that came in the middle",
      anthropic("tool_use", called("get", { caller: { type: "direct" } })),
      { tools: [{ ...tool, name: "other" }], messages: [...asked.messages, added] },
    ],
    [
      "a call in a thread",
      anthropic("tool_use", called("get", { caller: { type: "direct" } })),
      { thread: { type: "continue", previous_message_id: "msg_0" } },
    ],
  ];

  test.each(cases)("%s", async (_, body, rest = {}) => {
    const request = { ...asked, tools: [tool], ...("thread" in rest && { tools: undefined }), ...rest };
    for (const way of ways)
      expect(await passedThrough({ url: messages, request, body, ...way })).toEqual({ text: body, told: [] });
  });
});

const item = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  namespace: "crm",
  name: "get",
  arguments: '{"a":1}',
  status: "completed",
  async: true,
};
const place = { item_id: item.id, output_index: 0 };
const answered = (...events: readonly Typed[]): string =>
  numbered([
    { type: "response.created", response: responseOf("in_progress") },
    { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "", status: "in_progress" } },
    { type: "response.function_call_arguments.delta", ...place, delta: item.arguments },
    ...events,
    { type: "response.completed", response: responseOf("completed", item) },
  ]);
const url = "https://api.openai.com/v1/responses";
const get = { type: "function", name: "get" };
const request = { model: "m", stream: true, input: "Hi.", tools: [{ type: "namespace", name: "crm", tools: [get] }] };

describe("a call of a tool in a namespace, which may be answered later,", () => {
  test("passes as it came", async () => {
    const body = answered(
      { type: "response.function_call_arguments.done", ...place, arguments: item.arguments },
      { type: "response.output_item.done", output_index: 0, item },
    );
    for (const way of ways)
      expect(await passedThrough({ url, request, body, ...way })).toEqual({ text: body, told: [] });
  });

  test("keeps what its item says where its end is missing", async () => {
    for (const way of ways) {
      const { text, told } = await passedThrough({ url, request, body: answered(), ...way });
      const values = text.match(/(?<=^data: ).*$/gmu)?.map((line) => JSON.parse(line) as Typed) ?? [];
      const { arguments: args, namespace, async: mayWait } = item;
      const done = expect.objectContaining({ arguments: args, namespace, async: mayWait }) as unknown;
      expect(values.filter(({ type }) => type === "response.output_item.done")).toMatchObject([{ item: done }]);
      expect(told).toHaveLength(1);
    }
  });
});
