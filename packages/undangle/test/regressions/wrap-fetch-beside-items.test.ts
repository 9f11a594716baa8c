import { describe, expect, test } from "vitest";

import { events, named, passedThrough, responseOf, ways } from "../clients/passed-through.ts";
import { responses } from "../clients/requests.ts";

/** What stands beside a call of Gemini's or of OpenAI's Responses was lost where that was written anew. */
describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test("Gemini's grounding", async () => {
    const answer = (parts: readonly object[], more: object, top: object = {}): object => ({
      candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
      ...top,
    });
    const body = events(
      answer(
        [{ functionCall: { name: "f", args: '{"x":1}' } }],
        { groundingMetadata: { q: "GROUND" } },
        { extra: "TOP" },
      ),
      answer([{ text: "" }], { finishReason: "STOP", citationMetadata: { q: "CITED" } }),
    );
    const url = "https://host.example/v1beta/models/m:streamGenerateContent?alt=sse";
    const { text, error } = await passedThrough({ url, request: { contents: [] }, ...way, body });
    expect(error).toBeUndefined();
    expect(text).toContain('"args":{"x":1}');
    for (const mark of ["GROUND", "CITED", "TOP"]) expect(text).toContain(mark);
  });

  test("other keys of an item", async () => {
    const item = {
      type: "function_call",
      id: "fc_1",
      name: "f",
      arguments: "",
      status: "in_progress",
      namespace: "NAMED",
    };
    const done = { ...item, arguments: '{"x":1}', status: "completed" };
    const place = { item_id: "fc_1", output_index: 0 };
    const body = named(
      { type: "response.created", response: responseOf("in_progress") },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.function_call_arguments.delta", ...place, delta: '{"x":1}' },
      { type: "response.function_call_arguments.done", ...place, arguments: '{"x":1}' },
      { type: "response.output_item.done", output_index: 0, item: done },
      { type: "response.completed", response: responseOf("completed", done) },
    );
    const { text, error } = await passedThrough({ ...responses, ...way, body });
    expect(error).toBeUndefined();
    expect(text).toContain('"call_id":"call_');
    expect(text.match(/"namespace":"NAMED"/gu)).toHaveLength(3);
  });
});
