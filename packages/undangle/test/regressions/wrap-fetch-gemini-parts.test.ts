import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { answering, events, passedThrough, ways } from "../clients/passed-through.ts";
import { sdks } from "../clients/sdks.ts";

/** Gemini's parts and events as proxies send them. */
type Wire = Readonly<Record<string, unknown>>;

const url = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse";
const request = { contents: [{ role: "user", parts: [{ text: "Hi." }] }] };
const frame = (parts: readonly Wire[], more: Wire = {}): Wire => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
});
const call = (functionCall: Wire): Wire => ({ functionCall });
const stop: Wire = { candidates: [{ finishReason: "STOP", index: 0 }], usageMetadata: { totalTokenCount: 9 } };
const args = { title: "Emma" };

const partsIn = (text: string): readonly Wire[] =>
  text
    .split("\n\n")
    .filter((each) => each !== "")
    .flatMap((each) => {
      const { candidates } = JSON.parse(each.replace(/^data: /u, "")) as {
        readonly candidates: readonly { readonly content?: { readonly parts: readonly Wire[] } }[];
      };
      return candidates.flatMap(({ content }) => content?.parts ?? []);
    });
const callsIn = (text: string): readonly unknown[] =>
  partsIn(text).flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]));
const textIn = (text: string): string =>
  partsIn(text)
    .map(({ text: said = "" }) => String(said))
    .join("");

const clients = sdks.filter(({ format }) => format === "gemini");

/** What each SDK hears of a stream. */
async function heardOf(body: string, toolCalls: "hold" | "stream") {
  const fetch = answering(body);
  return Promise.all(
    clients.map(async ({ hear }) => {
      const heard = await hear("https://host.example", wrapFetch({ logger: false, toolCalls, fetch }));
      return { ...heard, calls: heard.calls.map(({ name, arguments: given }) => [name, given]) };
    }),
  );
}

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  const { toolCalls } = way;

  describe("a call with an empty object for its arguments", () => {
    const empty = frame([call({ name: "find_book", args: {} })]);

    test("gets those that come behind it", async () => {
      const body = events(empty, frame([call({ args })]), stop);
      const { text, error, told } = await passedThrough({ url, request, ...way, body });
      expect(callsIn(text)).toEqual([{ name: "find_book", args }]);
      expect(error).toBeUndefined();
      expect(told).toMatchObject([{ isChanged: true }]);
      for (const heard of await heardOf(body, toolCalls)) {
        expect(heard).toEqual({ text: "", calls: [["find_book", args]] });
      }
    });

    test("is none where the answer is cut off behind it", async () => {
      for (const end of [[], [{ candidates: [{ finishReason: "MAX_TOKENS", index: 0 }] }]]) {
        const { text, error } = await passedThrough({ url, request, ...way, body: events(empty, ...end) });
        expect(text).not.toContain("functionCall");
        expect(error).toContain("cut off");
      }
    });

    test.each([
      ["the end", [empty, stop]],
      ["the end in the same chunk", [frame([call({ name: "find_book", args: {} })], { finishReason: "STOP" })]],
      ["a string", [empty, frame([{ text: "Hm." }]), stop]],
      ["another call", [empty, frame([call({ name: "open_file", args })]), stop]],
    ])("passes as it came before %s", async (_, frames) => {
      const body = events(...frames);
      expect(await passedThrough({ url, request, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
    });

    test.each([
      ["a string", frame([{ text: "Hm." }])],
      ["another call", frame([call({ name: "open_file", args })])],
    ])("does not wait for more than %s", async (_, next) => {
      const { text } = await passedThrough({ url, request, ...way, body: events(empty, next) });
      expect(text).toContain(events(empty));
    });
  });

  describe("a call without a name and without arguments", () => {
    const nothing = frame([call({ name: "", args: {} })]);

    test.each([
      ["before a call", [nothing, frame([call({ name: "find_book", args })]), stop], [["find_book", args]]],
      ["beside a call", [frame([call({ name: "" }), call({ name: "find_book", args })]), stop], [["find_book", args]]],
      ["alone", [frame([{ text: "Hm." }]), nothing, stop], []],
    ])("is left out %s", async (_, frames, meant) => {
      const body = events(...frames);
      const { text, error, told } = await passedThrough({ url, request, ...way, body });
      expect(callsIn(text)).toMatchObject(meant.map(([name, given]) => ({ name, args: given })));
      expect(error).toBeUndefined();
      expect(told).toMatchObject([{ isChanged: true }]);
      for (const heard of await heardOf(body, toolCalls)) expect(heard.calls).toEqual(meant);
    });
  });

  describe("events with a name", () => {
    const named = (...frames: readonly Wire[]): string =>
      frames.map((each) => `event: message\nid: 1\n${events(each)}`).join("");

    test("are written without it, which Google's SDK does not read", async () => {
      const frames = [
        frame([{ text: "Hello " }]),
        frame([{ text: "there." }]),
        frame([call({ name: "find_book", args })]),
        stop,
      ];
      const { text } = await passedThrough({ url, request, ...way, body: named(...frames) });
      expect(text.match(/^(?!data: |$).*/gmu) ?? []).toEqual([]);
      for (const heard of await heardOf(named(...frames), toolCalls)) {
        expect(heard).toEqual({ text: "Hello there.", calls: [["find_book", args]] });
      }
    });

    test("keep the error that they report", async () => {
      const error = { code: 503, message: "overloaded", status: "UNAVAILABLE" };
      const body = `${events(frame([{ text: "Hm." }]))}event: error\n${events({ error })}`;
      const { text } = await passedThrough({ url, request, ...way, body });
      expect(text).toBe(events(frame([{ text: "Hm." }]), { error }));
    });
  });

  describe("a part with a text and a call", () => {
    const both = { text: "Hm.", ...call({ name: "find_book", args }), thoughtSignature: "sealed" };

    test.each([
      ["with the end", [frame([both], { finishReason: "STOP" })]],
      ["before the end", [frame([both]), stop]],
      ["before another text", [frame([both]), frame([{ text: " So." }]), stop]],
      ["as a thought", [frame([{ ...both, thought: true }]), stop]],
    ])("is two parts: %s", async (_, frames) => {
      const { text, error } = await passedThrough({ url, request, ...way, body: events(...frames) });
      const parts = partsIn(text);
      expect(parts.some((part) => part["functionCall"] !== undefined && part["text"] !== undefined)).toBe(false);
      expect(parts).toContainEqual({ ...call({ name: "find_book", args }), thoughtSignature: "sealed" });
      expect(callsIn(text)).toHaveLength(1);
      expect(textIn(text)).toMatch(/^Hm\.(?: So\.)?$/u);
      expect(error).toBeUndefined();
    });

    test("is heard by every SDK", async () => {
      for (const heard of await heardOf(events(frame([both]), stop), toolCalls)) {
        expect(heard).toEqual({ text: "Hm.", calls: [["find_book", args]] });
      }
    });
  });
});

test("a part with a text and a call is two parts in an answer that is one body", async () => {
  const both = { text: "Hm.", ...call({ name: "find_book", args }) };
  const { text, told } = await passedThrough({
    url: "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:generateContent",
    request,
    type: "application/json",
    body: JSON.stringify(frame([both, { text: "So." }], { finishReason: "STOP" })),
  });
  expect(JSON.parse(text)).toMatchObject(
    frame([{ text: "Hm." }, call({ name: "find_book", args }), { text: "So." }], { finishReason: "STOP" }),
  );
  expect(told).toMatchObject([{ isChanged: true }]);
});
