import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { answering, passedThrough } from "../clients/passed-through.ts";
import { sdks } from "../clients/sdks.ts";

/** Answers of Gemini's that are one body: in place of a stream, or because that was asked for. */
type Wire = Readonly<Record<string, unknown>>;

const at = (verb: string): string => `https://host.example/v1beta/models/g:${verb}`;
const streamed = at("streamGenerateContent?alt=sse");
const whole = at("generateContent");
const request = { contents: [{ role: "user", parts: [{ text: "Hi." }] }] };
const answer = (parts: readonly Wire[], more: Wire = { finishReason: "STOP" }): Wire => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  modelVersion: "g",
});
const called = (args: unknown, more: Wire = {}): Wire => ({ functionCall: { name: "find_book", args, ...more } });
const args = { title: "Emma" };
const text = JSON.stringify(args);
const clients = sdks.filter(({ format }) => format === "gemini");

describe.each(["application/json", "text/plain"])("one answer in place of a stream, called %s", (type) => {
  const passed = (given: Wire) => passedThrough({ url: streamed, request, type, body: JSON.stringify(given) });

  test.each([
    ["arguments as text", [called(text)], [args]],
    ["arguments as text in text", [called(JSON.stringify(text))], [args]],
    ["one id twice", [called(args, { id: "x" }), called({ n: 2 }, { id: "x" })], [args, { n: 2 }]],
    ["a text beside the call", [{ text: "Hm.", ...called(args) }], [args]],
    ["keys with underscores", [{ function_call: { name: "find_book", args } }], [args]],
  ])("is mended: %s", async (_, parts, meant) => {
    const body = JSON.stringify(answer(parts));
    const { told } = await passed(answer(parts));
    expect(told).toMatchObject([{ isChanged: true }]);
    for (const { hear } of clients) {
      const { calls, error } = await hear(
        "https://host.example",
        wrapFetch({ logger: false, fetch: answering(body, type) }),
      );
      expect(calls.map(({ arguments: given }) => given)).toEqual(meant);
      const ids = calls.flatMap(({ id }) => (id === undefined ? [] : [id]));
      expect(new Set(ids).size).toBe(ids.length);
      expect(error).toBeUndefined();
    }
  });

  test.each([
    ["a string", answer([{ text: "Hé" }])],
    ["a call", answer([{ text: "Hé" }, { ...called(args, { id: "x" }), thoughtSignature: "s" }])],
    ["a text that was cut off", answer([{ text: "Hé" }], { finishReason: "MAX_TOKENS" })],
  ])("is one event as it came where nothing is wrong with it: %s", async (_, given) => {
    expect((await passed(given)).text).toBe(`data: ${JSON.stringify(given)}\n\n`);
  });

  test("keeps the reason for an end that is none of a whole turn", async () => {
    const { text: sent } = await passed(answer([called(text)], { finishReason: "MAX_TOKENS" }));
    expect(sent).toContain('"finishReason":"MAX_TOKENS"');
  });
});

describe("a whole answer with calls and no reason for its end", () => {
  const passed = (given: Wire) =>
    passedThrough({ url: whole, request, type: "application/json", body: JSON.stringify(given) });

  test.each([{}, { finishReason: "" }, { finishReason: null }, { finishReason: "FINISH_REASON_UNSPECIFIED" }])(
    "gets it: %j",
    async (more) => {
      const { text: sent, told } = await passed(answer([called(args)], more));
      expect(JSON.parse(sent)).toEqual(answer([called(args)]));
      expect(told).toMatchObject([{ isChanged: true }]);
      expect(told[0]?.anomalies?.map(({ kind }) => kind)).toContain("finish-missing");
    },
  );

  test.each([
    ["none", called(undefined)],
    ["an empty object", called({})],
    ["half of them", called(text.slice(0, -3))],
    ["some, and more to come", called(args, { willContinue: true })],
  ])("stays as it is where a call may be cut off, which has for arguments: %s", async (_, call) => {
    const given = answer([called(args), call], {});
    expect(await passed(given)).toMatchObject({ text: JSON.stringify(given), told: [] });
  });

  test("and so does one that says why, and one without calls", async () => {
    for (const given of [answer([called(args)], { finishReason: "MAX_TOKENS" }), answer([{ text: "Hé" }], {})]) {
      expect(await passed(given)).toMatchObject({ text: JSON.stringify(given), told: [] });
    }
  });
});
