import { describe, expect, test } from "vitest";

import { begun, calls, end, role } from "../clients/chat-chunks.ts";
import { ending, json, over, start, stop, use } from "../clients/message-events.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat, messages, responses } from "../clients/requests.ts";
import { called, calling, ended, numbered } from "../clients/response-events.ts";

/** What is left out behind the end of an answer that was mended is no second thing to tell. */
const line = (message: object, isDone: boolean): string =>
  `${JSON.stringify({ model: "m", message: { role: "assistant", content: "", ...message }, done: isDone })}\n`;
const ollama = { url: "http://127.0.0.1:11434/api/chat", request: { model: "m", messages: [] } };
const lines = line({ tool_calls: [{ function: { name: "f", arguments: '{"x":1}' } }] }, false) + line({}, true);

const nameless = { ...begun(0, "f", '{"x":1}'), id: "" };
const completion = events(role, calls(nameless), end, done);
const message = start + use(0, "f", "") + json(0, '{"x":1}') + stop(0) + ending;
const call = called(0, "f", '{"x":1}');
const response = numbered([...calling(0, { ...call, call_id: "" }, '{"x":1}'), ended(call)]);

describe.each(ways)("a mended answer is told of once, in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["a text behind [DONE]", chat, completion, events(chunk({ content: "Late." }), done)],
    ["message_stop once more", messages, message, over],
    ["response.completed once more", responses, response, numbered([ended(call)])],
    ["Ollama's last line once more", ollama, lines, line({}, true)],
  ])("%s", async (_, asked, body, late) => {
    const type = asked === ollama ? "application/x-ndjson" : "text/event-stream";
    const { error, told } = await passedThrough({ ...asked, ...way, type, body: body + late });
    expect(error).toBeUndefined();
    expect(told).toMatchObject([{ isChanged: true }]);
    expect(told[0]?.anomalies).not.toEqual([]);
  });
});

describe.each(ways)("a healthy one too, in pieces of $size, calls: $toolCalls", (way) => {
  test("when something behind its end is left out", async () => {
    const healthy = events(role, calls(begun(0, "f", '{"x":1}')), end, done);
    const { told } = await passedThrough({ ...chat, ...way, body: healthy + events(chunk({ content: "Late." })) });
    expect(told).toMatchObject([{ isChanged: true }]);
  });
});
