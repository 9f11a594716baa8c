import { expect, test } from "vitest";

import { message } from "../clients/message-events.ts";
import { passedThrough } from "../clients/passed-through.ts";
import { messages } from "../clients/requests.ts";

/** What stood in a block without a type was lost where a body became a stream, and told as mended where it was not. */
const call = { type: "tool_use", id: "t1", name: "find", input: { a: 1 } };
const bodyOf = (block: unknown): string =>
  JSON.stringify({ ...message, content: [block, call], stop_reason: "tool_use", stop_sequence: null });
const type = "application/json";

test.each([
  [{ text: "SAID" }, "text"],
  [{ type: null, text: "SAID" }, "text"],
  ["SAID", "text"],
  [{ thinking: "SAID", signature: "sealed" }, "thinking"],
])("a message in one body says what its block %j does, also where a stream was asked for", async (block, kind) => {
  const whole = { ...messages, request: { ...messages.request, stream: false }, type };
  const { text, told } = await passedThrough({ ...whole, body: bodyOf(block) });
  expect(JSON.parse(text)).toMatchObject({ content: [{ type: kind, [kind]: "SAID" }, call] });
  expect(told).toMatchObject([{ isChanged: true }]);
  expect((await passedThrough({ ...whole, body: text })).told).toEqual([]);
  const streamed = await passedThrough({ ...messages, type, body: bodyOf(block) });
  expect(streamed.text).toContain(`"delta":{"type":"${kind}_delta","${kind}":"SAID"}`);
});
