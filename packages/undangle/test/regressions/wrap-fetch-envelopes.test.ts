import { describe, expect, test } from "vitest";

import { begun, calls, end, more } from "../clients/chat-chunks.ts";
import { chatWays, plainlyHeard } from "../clients/heard-of.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/** The AI SDK checks what stands around the choices, and left out chunks in which that is of a wrong type: also in the middle of arguments. */
const parts = [
  chunk({ role: "assistant", content: "Hé" }),
  calls(begun(0, "find_book", "{")),
  calls(more(0, '"keep":1')),
  calls(more(0, "}")),
  end,
] as const;
const meant = { text: "Hé", calls: [["find_book", { keep: 1 }]], error: undefined };
const envelopes: readonly object[] = [
  { created: "1767225600" },
  { created: "today" },
  { created: {} },
  { id: 7 },
  { id: [] },
  { model: 4 },
  { model: false },
  { usage: "" },
  { usage: { prompt_tokens: "1" } },
  { usage: { prompt_tokens: 1, completion_tokens: "many" } },
  { usage: { prompt_tokens: 1, prompt_tokens_details: { cached_tokens: "3" } } },
  { usage: { prompt_tokens: 1, completion_tokens_details: [] } },
];

describe.each(chatWays)("$sdk.name, calls: $toolCalls", (way) => {
  test.each(envelopes)("reads all around %j", async (envelope) => {
    const all = parts.map((part) => ({ ...part, ...envelope }));
    expect(await plainlyHeard(events(...all, done), way)).toEqual(meant);
    for (const at of parts.keys())
      expect(await plainlyHeard(events(...parts.with(at, all[at] ?? {}), done), way)).toEqual(meant);
  });

  test.each(["", 0, false, {}])("reads all where tool_calls is %j", async (given) => {
    const body = events(chunk({ role: "assistant", content: "Hé", tool_calls: given }), ...parts.slice(1), done);
    expect(await plainlyHeard(body, way)).toEqual(meant);
    const end = chunk({ tool_calls: given }, "tool_calls");
    expect(await plainlyHeard(events(...parts.slice(0, -1), end, done), way)).toEqual(meant);
  });

  test.each([{ role: "" }, { role: "model" }])("reads all where a later chunk has %j", async (role) => {
    const body = events(
      chunk({ role: "assistant", content: "H" }),
      chunk({ ...role, content: "é" }),
      ...parts.slice(1),
    );
    expect(await plainlyHeard(body + done, way)).toEqual(meant);
  });

  test.each(["", 0, []])("reads all where logprobs is %j", async (logprobs) => {
    const body = events(chunk({ role: "assistant", content: "Hé" }, null, { logprobs }), ...parts.slice(1), done);
    expect(await plainlyHeard(body, way)).toEqual(meant);
  });
});

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test("what is of a wrong type is written right, or left out", async () => {
    const [begin] = parts;
    const odd = {
      ...begin,
      id: 7,
      model: 4,
      created: "12",
      usage: { prompt_tokens: "1", total_tokens: "x", cost: "2" },
    };
    const body = events(odd, chunk({}, "stop"), done);
    const { text, told } = await passedThrough({ ...chat, ...way, body });
    const right = { id: "7", model: "4", created: 12, usage: { prompt_tokens: 1, cost: "2" } };
    expect(JSON.parse(text.slice("data: ".length, text.indexOf("\n")))).toEqual({ ...begin, ...right });
    expect(told).toHaveLength(1);
  });

  test.each([
    { id: null, model: null, created: null, usage: null },
    { created: 1.5, usage: { prompt_tokens: null, prompt_tokens_details: null, cost: "2", cost_details: [] } },
  ])("what may be so stays as it came: %j", async (envelope) => {
    const body = events(...parts.map((part) => ({ ...part, ...envelope })), done);
    expect(await passedThrough({ ...chat, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });
});

test("a whole answer too", async () => {
  const request = { model: "m", messages: [] };
  const message = { role: "assistant", content: "Hé" };
  const body = JSON.stringify({ id: 7, created: "12", choices: [{ index: 0, message, finish_reason: "stop" }] });
  const { text } = await passedThrough({ ...chat, request, type: "application/json", body });
  expect(text).toBe(body.replace("7", '"7"').replace('"12"', "12"));
});
