import type { JsonObject, TurnPart } from "#core";
import { describe, expect, test } from "vitest";

import { assemble } from "./assemble.ts";
import type { StreamFormat } from "./formats.ts";

/** Assembles frames and returns the parts, with call names and signatures. */
async function partsOf(format: StreamFormat, frames: readonly JsonObject[], options = {}): Promise<readonly unknown[]> {
  async function* source() {
    yield* frames;
  }
  const { parts } = await assemble(source(), { format, ...options }).turn();
  return parts.map((part: TurnPart) => (part.type === "call" ? [part.call.name, part.call.seal] : part));
}

const signed = (value: string) => ({ owner: "anthropic", value }) as const;

describe("Anthropic's thinking", () => {
  const block = (index: number, content_block: JsonObject, ...deltas: readonly JsonObject[]): readonly JsonObject[] => [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
  const thinking = (index: number, text: string, signature: string): readonly JsonObject[] =>
    block(
      index,
      { type: "thinking", thinking: "", signature: "" },
      ...(text === "" ? [] : [{ type: "thinking_delta", thinking: text }]),
      { type: "signature_delta", signature },
    );
  const end: readonly JsonObject[] = [
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: {} },
    { type: "message_stop" },
  ];
  const call = (index: number): readonly JsonObject[] =>
    block(index, { type: "tool_use", id: `t${index}`, name: "look", input: {} });

  test.each<[string, readonly JsonObject[], readonly unknown[]]>([
    [
      "keeps the signature of each block, also of neighbours",
      [...thinking(0, "One.", "s1"), ...thinking(1, "Two.", "s2"), ...call(2), ...end],
      [
        { type: "reasoning", text: "One.", seal: signed("s1") },
        { type: "reasoning", text: "Two.", seal: signed("s2") },
        ["look", undefined],
      ],
    ],
    [
      "that is not shown is its signature",
      [...thinking(0, "", "s1"), ...call(1), ...end],
      [{ type: "reasoning", text: "", seal: signed("s1") }, ["look", undefined]],
    ],
    [
      "that is redacted is what is encrypted of it",
      [...block(0, { type: "redacted_thinking", data: "d1" }), ...thinking(1, "Two.", "s2"), ...call(2), ...end],
      [
        { type: "reasoning", text: "", seal: signed("d1"), isRedacted: true },
        { type: "reasoning", text: "Two.", seal: signed("s2") },
        ["look", undefined],
      ],
    ],
    [
      "stands where it stood, between texts and calls",
      [
        ...thinking(0, "One.", "s1"),
        ...block(1, { type: "text", text: "Look:" }),
        ...call(2),
        ...thinking(3, "Two.", "s2"),
        ...call(4),
        ...end,
      ],
      [
        { type: "reasoning", text: "One.", seal: signed("s1") },
        { type: "text", text: "Look:" },
        ["look", undefined],
        { type: "reasoning", text: "Two.", seal: signed("s2") },
        ["look", undefined],
      ],
    ],
    [
      "may be signed before it comes",
      [
        ...block(0, { type: "thinking", thinking: "", signature: "s1" }, { type: "thinking_delta", thinking: "One." }),
        ...call(1),
        ...end,
      ],
      [{ type: "reasoning", text: "One.", seal: signed("s1") }, ["look", undefined]],
    ],
    [
      "that was cut off has no signature",
      [
        { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "One" } },
      ],
      [{ type: "reasoning", text: "One" }],
    ],
    [
      "that is mixed with other blocks is not signed, since nobody knows its words any more",
      [
        { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "One " } },
        { type: "content_block_start", index: 1, content_block: { type: "text", text: "Yes." } },
        { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "two." } },
        { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s1" } },
        ...end,
      ],
      [
        { type: "reasoning", text: "One " },
        { type: "text", text: "Yes." },
        { type: "reasoning", text: "two." },
      ],
    ],
    [
      "of a block that never began joins no other",
      [
        { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "One." } },
        { type: "content_block_delta", index: 1, delta: { type: "thinking_delta", thinking: "Two." } },
        { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s1" } },
        { type: "content_block_delta", index: 1, delta: { type: "signature_delta", signature: "s2" } },
        ...end,
      ],
      [
        { type: "reasoning", text: "One.", seal: signed("s1") },
        { type: "reasoning", text: "Two." },
      ],
    ],
    [
      "is signed in an answer that is no stream, too",
      [
        {
          type: "message",
          content: [
            { type: "thinking", thinking: "One.", signature: "s1" },
            { type: "redacted_thinking", data: "d1" },
            { type: "text", text: "Yes." },
          ],
          stop_reason: "end_turn",
        },
      ],
      [
        { type: "reasoning", text: "One.", seal: signed("s1") },
        { type: "reasoning", text: "", seal: signed("d1"), isRedacted: true },
        { type: "text", text: "Yes." },
      ],
    ],
  ])("%s", async (_, frames, parts) => {
    expect(await partsOf("anthropic", frames)).toEqual(parts);
  });

  test("is signed by Bedrock's Claude as well", async () => {
    const delta = (contentBlockIndex: number, reasoningContent: JsonObject): JsonObject => ({
      contentBlockDelta: { contentBlockIndex, delta: { reasoningContent } },
    });
    const frames = [
      delta(0, { text: "On" }),
      delta(0, { text: "e." }),
      delta(0, { signature: "s1" }),
      delta(1, { redactedContent: new Uint8Array([0, 1]) }),
      { contentBlockDelta: { contentBlockIndex: 2, delta: { text: "Yes." } } },
      { messageStop: { stopReason: "end_turn" } },
    ];
    expect(await partsOf("bedrock", frames)).toEqual([
      { type: "reasoning", text: "One.", seal: signed("s1") },
      { type: "reasoning", text: "", seal: signed("AAE="), isRedacted: true },
      { type: "text", text: "Yes." },
    ]);
  });
});

describe("Gemini's thought signatures", () => {
  const seal = (value: string) => ({ owner: "gemini", value }) as const;
  const frame = (parts: readonly JsonObject[], finishReason?: string): JsonObject => ({
    candidates: [{ content: { role: "model", parts }, ...(finishReason && { finishReason }), index: 0 }],
  });

  test.each<[string, readonly JsonObject[], readonly unknown[]]>([
    [
      "stay on the call that has one, and on no other",
      [
        frame([{ text: "Hm.", thought: true }]),
        frame([{ functionCall: { name: "a", args: {} }, thoughtSignature: "s1" }]),
        frame([{ functionCall: { name: "b", args: {} } }], "STOP"),
      ],
      [{ type: "reasoning", text: "Hm." }, ["a", seal("s1")], ["b", undefined]],
    ],
    [
      "keep a piece of text apart from its neighbours",
      [
        frame([{ text: "One " }]),
        frame([{ text: "two" }]),
        frame([{ text: " three", thoughtSignature: "s1" }], "STOP"),
      ],
      [
        { type: "text", text: "One two" },
        { type: "text", text: " three", seal: seal("s1") },
      ],
    ],
    [
      "may come behind all texts, alone",
      [frame([{ text: "One." }]), frame([{ text: "", thoughtSignature: "s1" }], "STOP")],
      [
        { type: "text", text: "One." },
        { type: "text", text: "", seal: seal("s1") },
      ],
    ],
    [
      "may stand on pictures",
      [frame([{ inlineData: { mimeType: "image/png", data: "iVBO" }, thoughtSignature: "s1" }], "STOP")],
      [
        {
          type: "media",
          kind: "image",
          mediaType: "image/png",
          source: { type: "bytes", data: "iVBO" },
          seal: seal("s1"),
        },
      ],
    ],
  ])("%s", async (_, frames, parts) => {
    expect(await partsOf("gemini", frames)).toEqual(parts);
  });

  test("come through Google's chat completions as well", async () => {
    const call = {
      index: 0,
      id: "c1",
      function: { name: "a", arguments: "{}" },
      extra_content: { google: { thought_signature: "s1" } },
    };
    const frames = [
      { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
    ];
    expect(await partsOf("openai-chat", frames)).toEqual([["a", seal("s1")]]);
  });

  test("are kept when calls are looked for in the text", async () => {
    const frames = [frame([{ text: "One." }]), frame([{ text: " Two.", thoughtSignature: "s1" }], "STOP")];
    const parts = await partsOf("gemini", frames, { recoverLeaked: true, tools: [{ name: "a" }] });
    expect(parts).toContainEqual({ type: "text", text: "", seal: seal("s1") });
    expect(parts.map((part) => (part as { text: string }).text).join("")).toBe("One. Two.");
  });
});

describe("OpenRouter's reasoning details", () => {
  const delta = (said: JsonObject, finish_reason: string | null = null): JsonObject => ({
    choices: [{ index: 0, delta: said, finish_reason }],
  });
  const text = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 };
  const hidden = { type: "reasoning.encrypted", data: "ZGF0YQ", id: "tool_1", format: "google-gemini-v1", index: 1 };
  const call = { index: 0, id: "tool_1", function: { name: "look", arguments: "{}" } };
  const blocks = [{ ...text, text: "One two.", signature: "s1" }, hidden];

  test("are one block each, with the signature that comes last", async () => {
    const frames = [
      delta({ role: "assistant", reasoning: "One ", reasoning_details: [{ ...text, text: "One " }] }),
      delta({ reasoning: "two.", reasoning_details: [{ ...text, text: "two." }] }),
      delta({ reasoning: null, reasoning_details: [{ ...text, signature: "s1" }] }),
      delta({ content: "I look." }),
      delta({ reasoning_details: [hidden], tool_calls: [call] }),
      delta({}, "tool_calls"),
    ];
    const parts = [
      { type: "reasoning", text: "One two.", seal: { owner: "openrouter", value: JSON.stringify(blocks) } },
      { type: "text", text: "I look." },
      ["look", undefined],
    ];
    const message = { role: "assistant", content: "I look.", reasoning: "One two.", reasoning_details: blocks };
    const whole = { choices: [{ index: 0, message: { ...message, tool_calls: [call] }, finish_reason: "tool_calls" }] };
    expect(await partsOf("openai-chat", frames)).toEqual(parts);
    expect(await partsOf("openai-chat", [whole])).toEqual(parts);
  });

  test("may be all that there is", async () => {
    const frames = [delta({ reasoning_details: [hidden], tool_calls: [call] }), delta({}, "tool_calls")];
    expect(await partsOf("openai-chat", frames)).toEqual([
      { type: "reasoning", text: "", seal: { owner: "openrouter", value: JSON.stringify([hidden]) } },
      ["look", undefined],
    ]);
  });

  test("seal nothing where they are only words", async () => {
    const frames = [
      delta({ reasoning: "One ", reasoning_details: [{ type: "reasoning.summary", summary: "One " }] }),
      delta({ reasoning: "two.", reasoning_details: [{ type: "reasoning.summary", summary: "two." }] }),
      delta({ content: "Yes." }, "stop"),
    ];
    expect(await partsOf("openai-chat", frames)).toEqual([
      { type: "reasoning", text: "One two." },
      { type: "text", text: "Yes." },
    ]);
  });
});

describe("OpenAI's items", () => {
  const seal = (value: string, id: string) => ({ owner: "openai", value, id }) as const;
  const reasoning = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }] };
  const said = (id: string, text: string) => ({
    type: "message",
    id,
    role: "assistant",
    content: [{ type: "output_text", text }],
  });
  const called = { type: "function_call", id: "fc_1", call_id: "c1", name: "a", arguments: "{}" };
  const frames = (output: readonly JsonObject[], response: JsonObject = {}): readonly JsonObject[] => [
    { type: "response.created", response: { id: "r1", output: [], ...response } },
    ...output.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item: { ...item, summary: [], content: [], arguments: "" } },
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response: { id: "r1", status: "completed", output, ...response } },
  ];

  test.each<[string, readonly JsonObject[], readonly unknown[]]>([
    [
      "keep what is encrypted, and the ids",
      frames([{ ...reasoning, encrypted_content: "gAAA1" }, said("msg_1", "Yes."), called]),
      [
        { type: "reasoning", text: "Hm.", seal: seal("gAAA1", "rs_1") },
        { type: "text", text: "Yes.", seal: seal("", "msg_1") },
        ["a", seal("", "fc_1")],
      ],
    ],
    [
      "that are not stored have no ids, but for what is encrypted",
      frames([{ ...reasoning, encrypted_content: "gAAA1" }, said("msg_1", "Yes."), called], { store: false }),
      [
        { type: "reasoning", text: "Hm.", seal: seal("gAAA1", "rs_1") },
        { type: "text", text: "Yes." },
        ["a", undefined],
      ],
    ],
    [
      "that are stored are known by their ids, also without a word",
      frames([{ ...reasoning, summary: [] }, called]),
      [{ type: "reasoning", text: "", seal: seal("", "rs_1") }, ["a", seal("", "fc_1")]],
    ],
    [
      "are named by nothing beside one that OpenAI ran itself, since that cannot come back",
      frames([reasoning, { type: "web_search_call", id: "ws_1", status: "completed" }, said("msg_1", "Yes.")]),
      [
        { type: "reasoning", text: "Hm." },
        { type: "text", text: "Yes." },
      ],
    ],
    [
      "are apart: two messages, two pieces of reasoning",
      frames([
        { ...reasoning, encrypted_content: "gAAA1" },
        { ...reasoning, id: "rs_2" },
        said("msg_1", "One."),
        said("msg_2", "Two."),
      ]),
      [
        { type: "reasoning", text: "Hm.", seal: seal("gAAA1", "rs_1") },
        { type: "reasoning", text: "Hm.", seal: seal("", "rs_2") },
        { type: "text", text: "One.", seal: seal("", "msg_1") },
        { type: "text", text: "Two.", seal: seal("", "msg_2") },
      ],
    ],
    [
      "may be pictures",
      frames([{ type: "image_generation_call", id: "ig_1", status: "completed", result: "iVBO" }]),
      [
        {
          type: "media",
          kind: "image",
          mediaType: "image/png",
          source: { type: "bytes", data: "iVBO" },
          seal: seal("", "ig_1"),
        },
      ],
    ],
  ])("%s", async (_, given, parts) => {
    expect(await partsOf("openai-responses", given)).toEqual(parts);
  });

  test("read the same as a whole answer", async () => {
    const output = [{ ...reasoning, encrypted_content: "gAAA1" }, said("msg_1", "Yes."), called];
    const whole = { id: "r1", object: "response", status: "completed", output };
    expect(await partsOf("openai-responses", [whole])).toEqual(await partsOf("openai-responses", frames(output)));
  });
});
