import { wrapFetch } from "undangle";
import type { WireRepair, WrapFetchOptions } from "undangle";
import { describe, expect, test } from "vitest";

import { begun, calls, callsIn, end, more, role } from "../clients/chat-chunks.ts";
import { answering, chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import type { Answered } from "../clients/passed-through.ts";

/** The answer to a request whose body is not read was not looked at, and nobody was told. */
const signed = { authorization: "AWS4-HMAC-SHA256 Credential=AKID/20261116/us-east-1/bedrock/aws4_request" };
const openai = "https://api.openai.com/v1/chat/completions";
const request = { model: "m", stream: true, messages: [{ role: "user", content: "Hi." }] };
const entry = { index: 0, id: "a", type: "function", function: { name: "f", arguments: { x: 1 } } };
const asObject = events(role, calls(entry), end, done); // of which a client makes "[object Object]"

const json = (value: object): string => JSON.stringify(value);
const whole = (message: object, finish: string, index = 0): object => ({ index, message, finish_reason: finish });
const completion = (...choices: readonly object[]): string =>
  json({ id: "x", object: "chat.completion", created: 1, model: "m", choices });

interface Sent {
  readonly url?: string;
  readonly init?: RequestInit;
  readonly input?: Request;
  readonly answer?: string;
  readonly type?: string;
  readonly options?: WrapFetchOptions;
}

/** What comes of an answer, and what is told of both sides. */
async function answered({ url = openai, init, input, answer = asObject, type, options }: Sent) {
  const told: WireRepair[] = [];
  const sent: unknown[] = [];
  const given = { method: "POST", body: json(request), ...init };
  const fetch = wrapFetch({
    logger: false,
    ...options,
    onRepair: (repair) => void told.push(repair),
    fetch: (...asked) => (sent.push(asked), answering(answer, type)()),
  });
  const text = await (input === undefined ? fetch(url, given) : fetch(input)).then((response) => response.text());
  expect(sent).toEqual([input === undefined ? [url, given] : [input, undefined]]); // the request itself stays as it is
  return { text, told: told.map(({ side, isChanged }) => ({ side, isChanged })) };
}

const mended = [{ side: "response", isChanged: true }];
const large = { maxBytes: 500 };
const long = json({ ...request, user: "u".repeat(500) });
const stream = (text: string): ReadableStream<Uint8Array> => new Blob([text]).stream();

describe("the answer to a request that is not read is mended", () => {
  test.each<[why: string, sent: Sent]>([
    ["it is signed", { init: { headers: signed } }],
    ["its address is signed", { url: `${openai}?X-Amz-Signature=00` }],
    ["it is packed", { init: { headers: { "content-encoding": "gzip" }, body: new Uint8Array([0x1f, 0x8b]) } }],
    ["it is hashed", { init: { headers: { "content-md5": "00" } } }],
    ["a text that is too large", { init: { body: long }, options: large }],
    ["bytes that are too many", { init: { body: new TextEncoder().encode(long) }, options: large }],
    ["a Blob that is too large", { init: { body: new Blob([long]) }, options: large }],
    ["a Request that is too large", { input: new Request(openai, { method: "POST", body: long }), options: large }],
    ["a stream", { init: { body: stream(long), duplex: "half" } }],
  ])("%s", async (_, sent) => {
    const { text, told } = await answered(sent);
    expect(callsIn(text)).toEqual(['f {"x":1}']);
    expect(told).toEqual(mended);
  });

  test("which is only told with mode warn", async () => {
    const { text, told } = await answered({ init: { headers: signed }, options: { mode: "warn" } });
    expect(text).toBe(asObject);
    expect(told).toEqual([{ side: "response", isChanged: false }]);
  });

  test("also where it is one body", async () => {
    const { index: _, ...call } = entry;
    const answer = completion(whole({ role: "assistant", content: null, tool_calls: [call] }, "tool_calls"));
    const { text, told } = await answered({ init: { headers: signed }, answer, type: "application/json" });
    expect(text).toContain(json({ arguments: '{"x":1}' }).slice(1, -1));
    expect(told).toEqual(mended);
  });

  test("and the ids that it gets are not those of the next one", async () => {
    const { id: _, ...nameless } = begun(0, "f", '{"x"') as { readonly id: string };
    const sent: Sent = {
      init: { headers: signed },
      answer: events(role, calls(nameless), calls(more(0, ":1}")), end, done),
      options: { toolCalls: "stream" },
    };
    const ids: (string | undefined)[] = [];
    for (let i = 0; i < 2; i++) ids.push(/"id":"(call_\w+)"/u.exec((await answered(sent)).text)?.[1]);
    expect(ids).not.toContain(undefined);
    expect(new Set(ids).size).toBe(2);
  });

  test("with a function of the old kind as one", async () => {
    const old = chunk({ role: "assistant", content: null, function_call: { name: "f", arguments: { x: 1 } } });
    const answer = events(old, chunk({}, "function_call"), done);
    const { text } = await answered({ init: { headers: signed }, answer });
    expect(text).toContain(json({ function_call: { name: "f", arguments: '{"x":1}' } }));
    const message = { role: "assistant", content: null, function_call: { name: "f", arguments: { x: 1 } } };
    const body = completion(whole(message, "function_call"));
    const one = await answered({ init: { headers: signed }, answer: body, type: "application/json" });
    expect(one.text).toBe(
      completion(whole({ ...message, function_call: { name: "f", arguments: '{"x":1}' } }, "function_call")),
    );
  });
});

describe("where only the end of the path tells the format", () => {
  test.each<[url: string, headers: Record<string, string>, isMended: boolean]>([
    ["https://my.app/chat/completions", {}, false],
    ["https://my.app/chat/completions", { "user-agent": "OpenAI/JS 7.53.0" }, true],
    ["https://my.app/chat/completions", { "user-agent": "ai-sdk/openai-compatible/3.0.0" }, true],
    ["https://my.app/other", { "user-agent": "OpenAI/JS 7.53.0" }, false],
  ])("the client has to say so: %s %j", async (url, headers, isMended) => {
    const { text, told } = await answered({ url, init: { headers: { ...signed, ...headers } } });
    expect(told).toEqual(isMended ? mended : []);
    expect(text === asObject).toBe(!isMended);
  });

  test("an option for the format says nothing of a body in which no messages were seen", async () => {
    const url = "https://my.app/other";
    const { text } = await answered({ url, init: { headers: signed }, options: { format: "openai-chat" } });
    expect(text).toBe(asObject);
  });

  test("a form is none of the format", async () => {
    const { text } = await answered({ init: { body: new FormData() } });
    expect(text).toBe(asObject);
  });

  test("and an answer that does not say what it is stays as it is", async () => {
    const { text } = await answered({ init: { headers: signed }, type: "text/plain" });
    expect(text).toBe(asObject);
  });
});

const second = (delta: object, finish: string | null = null): object => chunk(delta, finish, { index: 1 });
const old = (given: object): object => chunk({ function_call: given });
const gemini = "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse";
const piece = (functionCall: object, rest: object = {}): object => ({
  candidates: [{ content: { role: "model", parts: [{ functionCall }] }, index: 0, ...rest }],
});

describe("what would be healthy for some request stays as it is", () => {
  const streams: Readonly<Record<string, Pick<Answered, "url" | "body">>> = {
    "a call and stop": { url: openai, body: events(role, calls(begun(0, "f", "{}")), chunk({}, "stop"), done) },
    "a function of the old kind": {
      url: openai,
      body: events(role, old({ name: "f", arguments: "" }), old({ arguments: "{}" }), chunk({}, "function_call"), done),
    },
    "two answers": {
      url: openai,
      body: events(
        role,
        second({ role: "assistant", content: null }),
        chunk({ content: "a" }),
        chunk({}, "stop"),
        second({ tool_calls: [begun(0, "f", "{}")] }),
        second({}, "tool_calls"),
        done,
      ),
    },
    "calls with names that nobody knows": {
      url: openai,
      body: events(role, calls(begun(0, "f")), calls(more(0, "{}")), calls(begun(1, "g", "{}")), end, done),
    },
    "arguments of Gemini's in pieces": {
      url: gemini,
      body: events(
        piece({ name: "f", willContinue: true }),
        piece({ partialArgs: [{ jsonPath: "$.x", stringValue: "a" }], willContinue: true }),
        piece({ partialArgs: [{ jsonPath: "$.x", stringValue: "b" }], willContinue: true }),
        piece({}, { finishReason: "STOP" }),
      ),
    },
  };
  test.each(Object.entries(streams).flatMap(([name, given]) => ways.map((way) => ({ name, ...given, ...way }))))(
    "$name, $toolCalls, by $size bytes",
    async (given) => {
      const passed = await passedThrough({ ...given, request, headers: signed });
      expect(passed).toEqual({ text: given.body, error: undefined, told: [] });
    },
  );

  const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  test.each([
    completion(whole({ role: "assistant", content: null, tool_calls: [call] }, "stop")),
    completion(whole({ role: "assistant", content: null, function_call: call.function }, "function_call")),
    completion(
      whole({ role: "assistant", content: "a" }, "stop"),
      whole({ role: "assistant", content: "b" }, "stop", 1),
    ),
  ])("%s", async (body) => {
    const given = { url: openai, request, headers: signed, body, type: "application/json" };
    expect(await passedThrough(given)).toEqual({ text: body, error: undefined, told: [] });
  });
});
