import { wrapFetch } from "undangle";
import type { WireRepair } from "undangle";
import { describe, expect, test } from "vitest";
import { answering, chunk, done, events } from "../clients/passed-through.ts";

/** Whole answers of which nobody was told: some in place of a stream, and some with a call that was cut off. */
const chat = "https://host.example/v1/chat/completions";
const gemini = "https://host.example/v1beta/models/g:streamGenerateContent?alt=sse";
const ollama = "http://127.0.0.1:11434/api/chat";
const json = "application/json";
const whole = (message: object, finish = "stop"): string =>
  JSON.stringify({
    id: "x",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: finish }],
  });
const calling = (text: string, finish: string): string =>
  whole({ tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: text } }] }, finish);

interface Sent {
  readonly url?: string;
  readonly body: string;
  readonly type?: string;
  readonly stream: boolean;
}

async function told({ url = chat, body, type = json, stream }: Sent, mode: "repair" | "warn") {
  const heard: WireRepair[] = [];
  const fetch = wrapFetch({
    mode,
    logger: false,
    onRepair: (repair) => void (repair.side === "response" && heard.push(repair)),
    fetch: answering(body, type),
  });
  const request = { model: "m", stream, messages: [{ role: "user", content: "Hi." }], contents: [] };
  const response = await fetch(url, { method: "POST", body: JSON.stringify(request) });
  return { heard, type: response.headers.get("content-type"), text: await response.text() };
}

describe("with mode warn, what was asked for as a stream passes as it came and is told of", () => {
  const broken = events(chunk({ content: [{ type: "text", text: "Hi" }] }), chunk({}, "stop"), done);
  const line = `${JSON.stringify({ model: "m", message: { role: "assistant", content: "", tool_calls: [{ function: { name: "f", arguments: "{}" } }] }, done: true })}\n`;

  test.each([
    ["a string", { body: whole({ content: "Hi" }) }],
    ["a call", { body: calling('{"x":1}', "tool_calls") }],
    [
      "an answer of Gemini's",
      { url: gemini, body: '{"candidates":[{"content":{"role":"model","parts":[{"text":"Hi"}]}}]}' },
    ],
    ["events that are called JSON", { body: broken }],
    ["events that are called text", { body: broken, type: "text/plain" }],
    ["lines that are called text", { url: ollama, body: line, type: "text/plain" }],
  ])("%s", async (_, sent) => {
    const { heard, text, type } = await told({ ...sent, stream: true }, "warn");
    expect({ text, type }).toEqual({ text: sent.body, type: "type" in sent ? sent.type : json });
    expect(heard).toMatchObject([{ isChanged: false }]);
  });

  test.each([
    ["an error", '{"error":{"message":"No."}}'],
    ["healthy events", events(chunk({ role: "assistant", content: "Hi" }), chunk({}, "stop"), done)],
    ["somebody else's", "<html>"],
  ])("but not %s", async (_, body) => {
    expect(await told({ body, stream: true }, "warn")).toEqual({ heard: [], type: json, text: body });
  });

  test("and what keeps a line open passes before anything else has come", async () => {
    const source = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode("\n")),
    });
    const fetch = wrapFetch({
      mode: "warn",
      logger: false,
      fetch: answering(source, json),
    });
    const request = { model: "m", stream: true, messages: [] };
    const { body } = await fetch(chat, { method: "POST", body: JSON.stringify(request) });
    const reader = body?.getReader();
    expect((await reader?.read())?.value).toEqual(new Uint8Array([10]));
    await reader?.cancel();
  });
});

test("that an answer is one body is told where a stream was asked for", async () => {
  for (const mode of ["repair", "warn"] as const) {
    const { heard } = await told({ body: whole({ content: "Hi" }), stream: true }, mode);
    expect(heard).toMatchObject([{ isChanged: mode === "repair", anomalies: [{ kind: "whole-body" }] }]);
  }
});

describe.each(["repair", "warn"] as const)("with mode %s, a call that was cut off", (mode) => {
  test.each([false, true])("is told of where the answer says that it is whole, stream: %s", async (stream) => {
    const body = calling('{"x":', "tool_calls");
    const { heard, text } = await told({ body, stream }, mode);
    expect(text).toBe(body);
    expect(heard).toMatchObject([{ isChanged: false }]);
    expect(heard[0]?.anomalies?.map(({ kind }) => kind)).toContain("arguments-truncated");
  });

  test("is not where the answer says so itself", async () => {
    expect((await told({ body: calling('{"x":', "length"), stream: false }, mode)).heard).toEqual([]);
  });
});

test.each(["repair", "warn"] as const)(
  "with mode %s, an answer with which nothing can be done is told of, and not as mended",
  async (mode) => {
    const nameless = { id: "a", type: "function", function: { name: "", arguments: '{"a":1}' } };
    const body = whole({ tool_calls: [nameless] }, "tool_calls");
    const { heard, text } = await told({ body, stream: false }, mode);
    expect(text).toBe(body);
    expect(heard).toMatchObject([{ isChanged: false }]);
  },
);
