import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { answering, events } from "../clients/passed-through.ts";

/** Arguments that Vertex sends piece by piece were held to the end of the call, also where calls pass while they come. */
const url =
  "https://us-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/google/models/gemini-3:streamGenerateContent?alt=sse";
const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
const asking = { contents, toolConfig: { functionCallingConfig: { streamFunctionCallArguments: true } } };
const part = (...parts: readonly object[]): object => ({
  candidates: [{ index: 0, content: { role: "model", parts } }],
});
const called = (functionCall: object): object => part({ functionCall });
const piece = (text: string): object => ({
  partialArgs: [{ jsonPath: "$.dish", stringValue: text, willContinue: true }],
  willContinue: true,
});
const begun = called({ name: "serve", id: "a", willContinue: true });
const over = called({});
const end = { candidates: [{ index: 0, content: { role: "model", parts: [{ text: "" }] }, finishReason: "STOP" }] };

/** Sends frame by frame; tells how many were sent when each piece was heard. */
async function hear(frames: readonly object[], toolCalls: "hold" | "stream", request: object = asking) {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const frame = frames[sent++];
        if (frame === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(events(frame)));
      },
    },
    { highWaterMark: 0 },
  );
  const send = answering(body);
  const asked = { method: "POST", body: JSON.stringify(request) };
  const response = await wrapFetch({ logger: false, toolCalls, fetch: send })(url, asked);
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  const heard: number[] = [];
  let text = "";
  try {
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      heard.push(sent);
      text += new TextDecoder().decode(read.value);
    }
    return { text, heard, error: undefined };
  } catch (error) {
    return { text, heard, error: String(error) };
  }
}

test.each([
  ["one call", [begun, called(piece("so")), called(piece("up")), over, end]],
  ["text between pieces", [begun, called(piece("so")), part({ text: "Hi" }), called(piece("up")), over, end]],
  ["two calls", [begun, called(piece("so")), over, called({ name: "serve", id: "b", ...piece("ca") }), over, end]],
])("pass while they come: %s", async (_, frames) => {
  const { text, heard, error } = await hear(frames, "stream");
  expect({ text, error }).toEqual({ text: events(...frames), error: undefined });
  expect(heard).toEqual(frames.map((__, i) => i + 1));
});

test("are held until the call is over by default", async () => {
  const frames = [begun, called(piece("so")), called(piece("up")), over, end];
  expect(await hear(frames, "hold")).toEqual({ text: events(...frames), heard: [4, 5], error: undefined });
});

test.each(["hold", "stream"] as const)(
  "are one whole call for who has not asked for pieces, calls: %s",
  async (way) => {
    const frames = [begun, called(piece("so")), called(piece("up")), over, end];
    const { text, error } = await hear(frames, way, { contents });
    expect(error).toBeUndefined();
    expect(text).toContain('"functionCall":{"id":"a","name":"serve","args":{"dish":"soup"}}');
    expect(text).not.toContain("willContinue");
  },
);

describe("end in an error, and the call is not over for anybody", () => {
  test.each([
    ["cut off", [begun, called(piece("so"))]],
    ["ended in the middle", [begun, called(piece("so")), end]],
    ["too long", [begun, called(piece("so")), { candidates: [{ index: 0, finishReason: "MAX_TOKENS" }] }]],
    ["an error of the provider", [begun, called(piece("so")), { error: { code: 503, message: "Overloaded" } }]],
    [
      "not as they should be",
      [begun, called(piece("so")), called({ name: "serve", id: "a", ...piece("up") }), over, end],
    ],
  ])("%s", async (_, frames) => {
    const { text, error } = await hear(frames, "stream");
    expect(error).toBeDefined();
    expect(text.startsWith(events(begun, called(piece("so"))))).toBe(true);
    expect(text).not.toContain(JSON.stringify(over));
    expect(text).not.toContain("STOP");
  });
});
