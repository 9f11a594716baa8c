import { describe, expect, test } from "vitest";

import { argumentsIn, block, delta, json, over, start, stop, text, use } from "../clients/message-events.ts";
import { named, passedThrough, ways } from "../clients/passed-through.ts";
import { messages } from "../clients/requests.ts";

/** Of the blocks behind a call that had to be written anew only words were left: Anthropic refuses thinking without its signature. */
const nameless =
  block(1, { type: "tool_use", name: "f", input: {}, caller: { type: "direct" } }) + json(1, '{"x":1}') + stop(1);
const thinking = (index: number, signature: string, ...said: readonly string[]): string =>
  block(index, { type: "thinking", thinking: "", signature: "" }) +
  said.map((each) => delta(index, { type: "thinking_delta", thinking: each })).join("") +
  delta(index, { type: "signature_delta", signature }) +
  stop(index);
const found = { type: "web_search_result", url: "u", title: "t", encrypted_content: "FOUND" };
const cited = { type: "web_search_result_location", url: "u", title: "t", encrypted_index: "INDEX", cited_text: "c" };
const behind = (index: number): string =>
  thinking(index, "SIGNED", "H", "m", ", ", "so") +
  thinking(index + 1, "SILENT") +
  block(index + 2, { type: "redacted_thinking", data: "HIDDEN" }) +
  stop(index + 2) +
  block(index + 3, { type: "server_tool_use", id: "srv", name: "web_search", input: {} }) +
  json(index + 3, '{"query":') +
  json(index + 3, '"q"}') +
  stop(index + 3) +
  block(index + 4, { type: "web_search_tool_result", tool_use_id: "srv", content: [found] }) +
  stop(index + 4) +
  block(index + 5, { type: "text", text: "", citations: [] }) +
  delta(index + 5, { type: "text_delta", text: "It is" }) +
  delta(index + 5, { type: "text_delta", text: " so" }) +
  delta(index + 5, { type: "citations_delta", citation: cited }) +
  stop(index + 5);
const ends = (reason: string): string =>
  named({
    type: "message_delta",
    context_management: { applied_edits: [] },
    delta: { stop_sequence: null, stop_reason: reason },
    usage: { output_tokens: 1 },
  }) + over;

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test("what comes behind a call without an id is there as it came", async () => {
    const body = start + text(0, "Hi") + nameless + behind(2) + ends("tool_use");
    const { text: got, error } = await passedThrough({ ...messages, ...way, body });
    expect(error).toBeUndefined();
    expect(got).toContain('"caller":{"type":"direct"}');
    expect(argumentsIn(got)).toBe('{"x":1}{"query":"q"}');
    expect(merged(got.slice(got.indexOf('"index":2')))).toEqual(merged(body.slice(body.indexOf('"index":2'))));
  });

  test("between two such calls as well", async () => {
    const second = nameless.replaceAll('"index":1', '"index":8').replaceAll('"f"', '"g"').replace('\\"x\\"', '\\"y\\"');
    const body = start + text(0, "Hi") + nameless + behind(2) + second + text(9, "!") + ends("tool_use");
    const { text: got, error } = await passedThrough({ ...messages, ...way, body });
    expect(error).toBeUndefined();
    const order = ['"f"', "SIGNED", "SILENT", "HIDDEN", "srv", "FOUND", "INDEX", '"g"', '"!"'].map((mark) =>
      got.indexOf(mark),
    );
    expect(order).not.toContain(-1);
    const inOrder = way.toolCalls === "hold" ? order : order.toSpliced(7, 1); // or the call passes while others wait
    expect(inOrder).toEqual(inOrder.toSorted((one, other) => one - other));
    expect(got.match(/"type":"tool_use"/gu)).toHaveLength(2);
    expect(got.match(/"index":\d+,"content_block"/gu)?.map((each) => /\d+/u.exec(each)?.[0])).toEqual(
      Array.from({ length: 10 }, (_, i) => String(i)),
    );
  });

  test("where only the reason is wrong, what stands beside it is kept", async () => {
    const body = start + use(0, "f") + json(0, "{}") + stop(0) + ends("end_turn");
    const { text: got } = await passedThrough({ ...messages, ...way, body });
    expect(got).toBe(body.replace("end_turn", "tool_use"));
  });
});

/** The events of a body with the pieces of a text in one. */
function merged(body: string): readonly string[] {
  const found: string[] = [];
  for (const [data] of body.matchAll(/(?<=^data: )\{.*$/gmu)) found.push(data);
  return found
    .join("\n")
    .replaceAll(
      /(?<=_delta","(?<key>text|thinking)":"[^"]*)"\}\}\n\{"type":"content_block_delta","index":\d+,"delta":\{"type":"\k<key>_delta","\k<key>":"/gu,
      "",
    )
    .split("\n");
}
