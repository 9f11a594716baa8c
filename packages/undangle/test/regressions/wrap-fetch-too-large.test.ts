import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { begun, calls, end, more, role } from "../clients/chat-chunks.ts";
import * as anthropic from "../clients/message-events.ts";
import { answering, chunk, done, events, named, passedThrough, responseOf, ways } from "../clients/passed-through.ts";
import { chat, messages, responses } from "../clients/requests.ts";
import { called } from "../clients/response-events.ts";

/** What is kept of a stream had no limit: a call that never ends filled the memory. */
const options = { maxBytes: 2000 };
const reason = "its tool calls are larger than maxBytes";
const kept = "the events to keep are larger than maxBytes";
const error = `Error: Cannot repair the response: ${reason}`;
const long = Array.from({ length: 40 }, () => "y".repeat(50));
const text = chunk({ content: "Hé" });
const gemini = {
  url: "https://host.example/v1beta/models/g:streamGenerateContent?alt=sse",
  request: { contents: [] },
} as const;

/** Healthy calls of some kilobytes, behind a text. */
const answers = [
  {
    ...chat,
    name: "chat",
    said: "Hé",
    body: events(
      role,
      text,
      calls(begun(0, "f", '{"x":"')),
      ...long.map((each) => calls(more(0, each))),
      calls(more(0, '"}')),
      end,
      done,
    ),
  },
  {
    ...messages,
    name: "messages",
    said: "Hé",
    body:
      anthropic.start + anthropic.text(0, "Hé") + anthropic.called(1, "f", '{"x":"', ...long, '"}') + anthropic.ending,
  },
  {
    ...responses,
    name: "responses",
    said: "",
    body: named(
      { type: "response.created", response: responseOf("in_progress") },
      { type: "response.output_item.added", output_index: 0, item: { ...called(0, "f", ""), status: "in_progress" } },
      ...['{"x":"', ...long, '"}'].map((delta) => ({
        type: "response.function_call_arguments.delta",
        item_id: "fc_0",
        output_index: 0,
        delta,
      })),
      { type: "response.output_item.done", output_index: 0, item: called(0, "f", `{"x":"${long.join("")}"}`) },
      { type: "response.completed", response: responseOf("completed", called(0, "f", `{"x":"${long.join("")}"}`)) },
    ),
  },
  {
    ...gemini,
    name: "gemini",
    said: "Hé",
    body: events(
      { candidates: [{ content: { role: "model", parts: [{ text: "Hé" }] }, index: 0 }] },
      ...long.map((x) => ({
        candidates: [{ content: { role: "model", parts: [{ functionCall: { name: "f", args: { x } } }] }, index: 0 }],
      })),
      { candidates: [{ finishReason: "STOP", index: 0 }] },
    ),
  },
];

describe.each(ways)("pieces of $size, calls: $toolCalls", (way) => {
  test.each(answers)("calls of $name that are larger end in an error behind the text", async (answer) => {
    const passed = await passedThrough({ ...answer, ...way, options });
    expect(passed.error).toBe(error);
    expect(passed.text).toContain(answer.said);
    expect(passed.text).not.toMatch(/finish_reason":"|stop_reason":"|response.completed|finishReason/u);
    expect(passed.told).toMatchObject([{ isChanged: true, error: reason }]);
    expect(passed.told[0]?.anomalies?.filter(({ kind }) => kind !== "id-missing")).toEqual([]);
  });

  test.each(answers)("those of $name that are not stay as they came", async (answer) => {
    const passed = await passedThrough({ ...answer, ...way, options: { maxBytes: answer.body.length } });
    expect(passed).toEqual({ text: answer.body, error: undefined, told: [] });
  });

  test.each(answers)("who only watches $name gets all, and is told nothing", async (answer) => {
    const passed = await passedThrough({ ...answer, ...way, options: { ...options, mode: "warn" } });
    expect(passed).toEqual({ text: answer.body, error: undefined, told: [] });
  });

  test("a text has no limit", async () => {
    const body = events(
      role,
      ...long.map((content, i) => chunk({ content }, null, { number: i })),
      chunk({}, "stop"),
      done,
    );
    expect(await passedThrough({ ...chat, ...way, body, options })).toEqual({ text: body, error: undefined, told: [] });
  });

  test("what is none of the format passes", async () => {
    const body = `{\n${long.map((each) => `"${each}":1,\n\n`).join("")}"end":1}`;
    expect(await passedThrough({ ...chat, ...way, body, options })).toEqual({ text: body, error: undefined, told: [] });
  });

  test("a call that is mended while it comes has the same limit", async () => {
    const { id: _, ...nameless } = { ...begun(0, "f", '{"x":"'), id: 0 };
    const body = events(role, text, calls(nameless), ...long.map((each) => calls(more(0, each))));
    const passed = await passedThrough({ ...chat, ...way, body, options });
    expect(passed).toMatchObject({ error, told: [{ error: reason }] });
  });
});

test.each([
  ["a call", events(role, calls(begun(0, "f", '{"x":"'))), events(calls(more(0, "yy"))), reason],
  ["signs of life behind a mark that is no end", events(role, done), ": alive\n\n", kept],
  ["a value that no event holds", `${events(role, text)}{\n\n`, '"a":1,\n\n', kept],
])("of %s that never ends no more is read", async (_, first, others, why) => {
  let pieces = 0;
  let isCancelled = false;
  const source = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (pieces > 100_000) controller.close();
        else controller.enqueue(new TextEncoder().encode(pieces++ === 0 ? first : others));
      },
      cancel: () => void (isCancelled = true),
    },
    { highWaterMark: 0 },
  );
  const send = wrapFetch({ fetch: answering(source), logger: false, maxBytes: 100_000 });
  const response = await send(chat.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(chat.request),
  });
  await expect(response.text()).rejects.toThrow(why);
  expect({ isCancelled, isBounded: pieces < 20_000 }).toEqual({ isCancelled: true, isBounded: true });
});
