import { describe, expect, test } from "vitest";

import { over, reason, start } from "../clients/message-events.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat, messages, responses } from "../clients/requests.ts";

/** What is not understood passes as it came; it was left out, and a body of somebody else's came out empty. */
const ollama = { url: "http://127.0.0.1:11434/api/chat", request: { model: "m", messages: [] } };
const lines = { ...ollama, type: "application/x-ndjson" };

const role = chunk({ role: "assistant", content: "" });
const says = chunk({ content: "Hé" });
const stop = chunk({}, "stop");
const call = { index: 0, id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } };
const calls = [chunk({ tool_calls: [call] }), chunk({}, "tool_calls")] as const;
const sources = { sources: [{ name: "a" }] };
const named = (type: string, data: string): string => `event: ${type}\ndata: ${data}\n\n`;
const ending = reason("end_turn") + over;
const created = JSON.stringify({
  type: "response.created",
  sequence_number: 1,
  response: { id: "r", status: "in_progress", output: [] },
});
const completed = JSON.stringify({
  type: "response.completed",
  sequence_number: 2,
  response: { id: "r", status: "completed", output: [] },
});

describe.each(ways)("passes as it came in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["another protocol at the address of chat", chat, events({ kind: "token", value: "a" }, { kind: "end" })],
    ["another protocol with the same mark of its end", chat, events({ kind: "token" }, done)],
    ["another protocol that is no JSON", chat, "data: Hello\n\ndata:\n\ndata: you\n\n"],
    ["another protocol at the address of messages", messages, events({ kind: "token", value: "a" }, { kind: "end" })],
    ["lines of another protocol", lines, '0:"Hello"\n0:" x"\nd:{"finishReason":"stop"}\n'],
    ["an object of another protocol", lines, '{\n  "reply": "hello"\n}\n'],
    ["frames that have choices", chat, events({ ...sources, choices: [] }, role, says, stop, done)],
    ["a named event that is no JSON", chat, events(role, says, named("status", "thinking"), stop, done)],
    ["fields without data", chat, events("retry: 100\n\n", role, says, stop, done)],
    ["Vertex' own event", messages, named("vertex_event", "{}") + start + ending],
    ["a ping without a type", messages, start + named("ping", "{}") + ending],
    [
      "a sign of life before the response",
      responses,
      named("keepalive", '{"type":"keepalive","sequence_number":0}') +
        named("response.created", created) +
        named("response.completed", completed),
    ],
    ["the mark of the end in a named event", chat, events(role, says, stop, named("done", "[DONE]"))],
    ["the mark of the end with one line feed", chat, events(role, says, stop, "data: [DONE]\n")],
    ["the mark of the end with none", chat, events(role, ...calls, "data: [DONE]")],
    ["a comment behind the mark of the end", chat, events(role, says, stop, done, ": bye\n\n")],
  ])("%s", async (_, asked, body) => {
    expect(await passedThrough({ ...asked, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });
});

/** Clients of chat look for choices in every object, whatever its event is called. */
describe.each(ways)("passes with no choices in it in pieces of $size, calls: $toolCalls", (way) => {
  const none = { choices: [] };
  test.each([
    [
      "frames that somebody added",
      events(sources, role, says, { event: { type: "x" } }, stop, done),
      events({ ...sources, ...none }, role, says, { event: { type: "x" }, ...none }, stop, done),
    ],
    [
      "a frame that somebody added behind a call",
      events(role, calls[0], sources, calls[1], done),
      events(role, calls[0], { ...sources, ...none }, calls[1], done),
    ],
    [
      "an event with a name of its own",
      events(role, named("citations", '{"citations":["a"]}'), stop, done),
      events(role, named("citations", '{"citations":["a"],"choices":[]}'), stop, done),
    ],
  ])("%s", async (_, body, written) => {
    const { text, error, told } = await passedThrough({ ...chat, ...way, body });
    expect({ text, error }).toEqual({ text: written, error: undefined });
    expect(told).toHaveLength(1);
  });
});

test("what clients of the format trip over does not pass once it is known to be that", async () => {
  const { text } = await passedThrough({
    ...chat,
    body: events("data:\n\n", role, "data: ping\n\n", says, stop, done),
  });
  expect(text).toBe(events(role, says, stop, done));
});

test("a frame that somebody added stays where calls are written anew", async () => {
  const broken = chunk({ tool_calls: [{ ...call, id: "" }] });
  const { text } = await passedThrough({ ...chat, body: events(role, broken, sources, calls[1], done) });
  expect(text).toContain(events({ ...sources, choices: [] }));
  expect(text).toContain('"finish_reason":"tool_calls"');
});

test("usage is not lost where no choices stand beside it", async () => {
  const { text } = await passedThrough({ ...chat, body: events(role, says, stop, { id: "x", usage: { a: 1 } }, done) });
  expect(text).toContain('{"id":"x","usage":{"a":1},"choices":[]}');
});
