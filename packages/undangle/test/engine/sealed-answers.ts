import { assemble } from "#codecs";
import type { StreamFormat } from "#codecs";
import type { Model, ModelRequest } from "#model";

type Wire = Readonly<Record<string, unknown>>;

/** A model whose answers are the bytes that a provider sent, and what it was asked. */
export interface RecordedModel extends Model {
  readonly requests: readonly ModelRequest[];
}

export function recordedModel(format: StreamFormat, answers: readonly (readonly Wire[])[]): RecordedModel {
  const requests: ModelRequest[] = [];
  return {
    name: format,
    requests,
    stream(request) {
      requests.push({ ...request, messages: [...request.messages] });
      const { tools, knownIds } = request;
      const frames = answers[requests.length - 1] ?? [];
      if (format === "bedrock") return assemble(eventsOf(frames), { format, tools, knownIds });
      const text = frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("");
      return assemble(new Response(text), { format, tools, knownIds });
    },
  };
}

/** What Amazon's SDK makes of its binary events. */
async function* eventsOf(frames: readonly Wire[]): AsyncGenerator {
  yield* frames;
}

export const signature = `EqQBCgIYAhIkMTIzNDU2Nzg5${"A".repeat(40)}`;
export const encrypted = `gAAAAABm${"b".repeat(60)}`;
export const thought = `CiQB${"c".repeat(60)}`;

const anthropicBlocks = (...blocks: readonly (readonly [start: Wire, ...deltas: readonly Wire[]])[]) =>
  blocks.flatMap(([content_block, ...deltas], index) => [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]);

const thinking = (text: string) =>
  [
    { type: "thinking", thinking: "", signature: "" },
    { type: "thinking_delta", thinking: text },
    { type: "signature_delta", signature },
  ] as const;

const anthropicCall = (id: string, name: string) =>
  [
    { type: "tool_use", id, name, input: {} },
    { type: "input_json_delta", partial_json: '{"q":' },
    { type: "input_json_delta", partial_json: '"x"}' },
  ] as const;

const anthropicTurn = (stop_reason: string, blocks: readonly Wire[]) => [
  { type: "message_start", message: { id: "msg_1", type: "message", role: "assistant", content: [], usage: {} } },
  ...blocks,
  { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];

const geminiFrame = (parts: readonly Wire[], finishReason?: string): Wire => ({
  candidates: [{ content: { role: "model", parts }, ...(finishReason !== undefined && { finishReason }), index: 0 }],
  modelVersion: "gemini-3-pro-preview",
  responseId: `r${JSON.stringify(parts).length}`,
});

const responsesTurn = (id: string, output: readonly Wire[], more: Wire) => [
  { type: "response.created", response: { id, status: "in_progress", output: [], ...more } },
  ...output.flatMap((item, output_index) => [
    { type: "response.output_item.added", output_index, item: { ...item, summary: [], content: [], arguments: "" } },
    { type: "response.output_item.done", output_index, item },
  ]),
  { type: "response.completed", response: { id, status: "completed", output, ...more } },
];

const responsesAnswers = (more: Wire, sealed: Wire) => [
  responsesTurn(
    "resp_1",
    [
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Two calls." }], ...sealed },
      responsesMessage("msg_1", "I look."),
      {
        type: "function_call",
        id: "fc_1",
        call_id: "call_a",
        name: "look",
        arguments: '{"q":"x"}',
        status: "completed",
      },
      {
        type: "function_call",
        id: "fc_2",
        call_id: "call_b",
        name: "find",
        arguments: '{"q":"x"}',
        status: "completed",
      },
    ],
    more,
  ),
  responsesTurn(
    "resp_2",
    [{ type: "reasoning", id: "rs_2", summary: [], ...sealed }, responsesMessage("msg_2", "Found.")],
    more,
  ),
  responsesTurn("resp_3", [responsesMessage("msg_3", "Bye.")], more),
];

const responsesMessage = (id: string, text: string): Wire => ({
  type: "message",
  id,
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});

const chatTurn = (finish_reason: string, ...deltas: readonly Wire[]) =>
  [...deltas, {}].map((delta, i) => ({
    id: `chat_${deltas.length}_${finish_reason}`,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: i === deltas.length ? finish_reason : null }],
  }));

const bedrockBlock = (contentBlockIndex: number, start: Wire | undefined, ...deltas: readonly Wire[]) => [
  ...(start === undefined ? [] : [{ contentBlockStart: { contentBlockIndex, start } }]),
  ...deltas.map((delta) => ({ contentBlockDelta: { contentBlockIndex, delta } })),
  { contentBlockStop: { contentBlockIndex } },
];

const routed = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 };

/** Three answers of each provider: calls side by side, a text, and another one. Frames are those that their APIs send. */
export const answers = {
  anthropic: [
    anthropicTurn(
      "tool_use",
      anthropicBlocks(
        thinking("Two calls."),
        [{ type: "redacted_thinking", data: `${signature}R` }],
        [
          { type: "text", text: "" },
          { type: "text_delta", text: "I look." },
        ],
        anthropicCall("toolu_a", "look"),
        anthropicCall("toolu_b", "find"),
      ),
    ),
    anthropicTurn("end_turn", anthropicBlocks(thinking("So."), [{ type: "text", text: "Found." }])),
    anthropicTurn("end_turn", anthropicBlocks([{ type: "text", text: "Bye." }])),
  ],
  gemini: [
    [
      geminiFrame([{ text: "Two calls.", thought: true }]),
      geminiFrame([{ text: "I look." }]),
      geminiFrame([{ functionCall: { name: "look", args: { q: "x" } }, thoughtSignature: thought }]),
      geminiFrame([{ functionCall: { name: "find", args: { q: "x" } } }], "STOP"),
    ],
    [
      geminiFrame([{ text: "Fou" }]),
      geminiFrame([{ text: "nd.", thoughtSignature: `${thought}2` }]),
      geminiFrame([{ text: "", thoughtSignature: `${thought}3` }], "STOP"),
    ],
    [geminiFrame([{ text: "Bye." }], "STOP")],
  ],
  encrypted: responsesAnswers({ store: false }, { encrypted_content: encrypted }),
  stored: responsesAnswers({ store: true }, {}),
  deepseek: [
    chatTurn(
      "tool_calls",
      { role: "assistant", content: null, reasoning_content: "Two " },
      { reasoning_content: "calls." },
      { content: "I look." },
      {
        tool_calls: [{ index: 0, id: "call_a", type: "function", function: { name: "look", arguments: '{"q":"x"}' } }],
      },
      {
        tool_calls: [{ index: 1, id: "call_b", type: "function", function: { name: "find", arguments: '{"q":"x"}' } }],
      },
    ),
    chatTurn("stop", { role: "assistant", content: "", reasoning_content: "So." }, { content: "Found." }),
    chatTurn("stop", { role: "assistant", content: "Bye." }),
  ],
  openrouter: [
    chatTurn(
      "tool_calls",
      { role: "assistant", content: "", reasoning: "Two ", reasoning_details: [{ ...routed, text: "Two " }] },
      { reasoning: "calls.", reasoning_details: [{ ...routed, text: "calls." }] },
      { reasoning_details: [{ ...routed, signature: `${signature}O` }] },
      { content: "I look." },
      {
        tool_calls: [{ index: 0, id: "toolu_a", type: "function", function: { name: "look", arguments: '{"q":"x"}' } }],
      },
      {
        tool_calls: [{ index: 1, id: "toolu_b", type: "function", function: { name: "find", arguments: '{"q":"x"}' } }],
      },
    ),
    chatTurn("stop", { role: "assistant", content: "Found." }),
    chatTurn("stop", { role: "assistant", content: "Bye." }),
  ],
  bedrock: [
    [
      { messageStart: { role: "assistant" } },
      ...bedrockBlock(0, undefined, { reasoningContent: { text: "Two calls." } }, { reasoningContent: { signature } }),
      ...bedrockBlock(1, undefined, { text: "I look." }),
      ...bedrockBlock(2, { toolUse: { toolUseId: "tooluse_a", name: "look" } }, { toolUse: { input: '{"q":"x"}' } }),
      ...bedrockBlock(3, { toolUse: { toolUseId: "tooluse_b", name: "find" } }, { toolUse: { input: '{"q":"x"}' } }),
      { messageStop: { stopReason: "tool_use" } },
    ],
    [...bedrockBlock(0, undefined, { text: "Found." }), { messageStop: { stopReason: "end_turn" } }],
    [...bedrockBlock(0, undefined, { text: "Bye." }), { messageStop: { stopReason: "end_turn" } }],
  ],
} as const satisfies Readonly<Record<string, readonly (readonly Wire[])[]>>;
