import { describe, expect, test } from "vitest";

import { bodyKind, startsLikeOllama, restOf, peekable } from "./peekable-body.ts";

/** A text in pieces of so many bytes. */
function piecewise(text: string, size: number) {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return peekable(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at < bytes.length) controller.enqueue(bytes.slice(at, (at += size)));
        else controller.close();
      },
    }),
  );
}

const sizes = [1, 2, 3, 5, 8, 1000];

/** All that can still be read. */
async function textIn(source: ReturnType<typeof piecewise>): Promise<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  for await (const piece of restOf(source)) text += decoder.decode(piece, { stream: true });
  return text;
}

describe("what a body looks like", () => {
  test.each([
    ["events", "data: {}\n\n"],
    ["events", "\ufeff\r\n\r\ndata:{}\n\n"],
    ["events", "event: start\ndata: {}\n\n"],
    ["events", "id: 1\ndata: {}\n\n"],
    ["events", "retry : 100\n\n"],
    ["events", ": a comment\n\n"],
    ["events", "data"],
    ["object", '{"id":1}'],
    ["object", '\ufeff\n\n{"id":1}'],
    ["other", "database: full"],
    ["other", "datum"],
    ["other", '0:"Hello"\n'],
    ["list", "[1]"],
    ["list", '\ufeff\n\n[{"id":1}]'],
    ["other", "<p>"],
    ["other", "Hello"],
    ["other", "\n\n"],
    ["other", ""],
  ])("%s: %j, however it is cut, and all of it is there", async (opening, text) => {
    for (const size of sizes) {
      const source = piecewise(text, size);
      expect(await bodyKind(source)).toBe(opening);
      expect(await textIn(source)).toBe(text);
    }
  });
});

describe("what looks like an answer of Ollama's", () => {
  test.each([
    [true, '{"model":"m","done":false}\n{"model":"m","done":true}\n'],
    [true, '\n\n{"model":"m","done":true}'],
    [false, '{"reply":"Hello"}\n'],
    [false, '{\n"model":"m","done":true}'],
    [false, 'data: {"model":"m","done":true}\n\n'],
    [false, ""],
  ])("%s: %j, however it is cut, and all of it is there", async (isOllama, text) => {
    for (const size of sizes) {
      const source = piecewise(text, size);
      expect(await startsLikeOllama(source, 1000)).toBe(isOllama);
      expect(await textIn(source)).toBe(text);
    }
  });

  test("is not looked for behind so many bytes", async () => {
    const text = `{"model":"${"m".repeat(100)}","done":true}`;
    const source = piecewise(text, 10);
    expect(await startsLikeOllama(source, 50)).toBe(false);
    expect(await textIn(source)).toBe(text);
  });
});
