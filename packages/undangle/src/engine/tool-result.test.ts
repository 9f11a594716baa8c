import { runInNewContext } from "node:vm";

import { describe, expect, test } from "vitest";

import { file, image } from "./result/media.ts";
import { toolError, toolResult } from "./tool-result.ts";

const text = (said: string) => ({ type: "text", text: said });
const good = (...parts: readonly object[]) => ({ parts, isError: false });
const bad = (said: string) => ({ parts: [text(said)], isError: true });
const unwritten = (reason: string) => bad(`The tool ran, but its result cannot be passed on: ${reason}.`);

const png = new Uint8Array([137, 80, 78, 71]);
const pngPart = {
  type: "media",
  kind: "image",
  mediaType: "image/png",
  source: { type: "bytes", data: "iVBORw==" },
};

class Invoice {
  readonly total = 3;
}

class Money {
  readonly #cents: number;
  constructor(cents: number) {
    this.#cents = cents;
  }
  toJSON(): unknown {
    return { cents: this.#cents };
  }
}

describe("what a tool returned", () => {
  test.each<[string, unknown, object]>([
    ["text", "It rains.", good(text("It rains."))],
    ["no text", "", good(text(""))],
    ["half a character", "a \ud83d", good(text("a \ufffd"))],
    ["half a character beside an image", ["\udc00", image(png, "image/png")], good(text("\ufffd"), pngPart)],
    ["half a character of a server", { content: [{ type: "text", text: "a \ud83d" }] }, good(text("a \ufffd"))],
    ["nothing", undefined, good(text("Done."))],
    ["null", null, good(text("null"))],
    ["a number", 12, good(text("12"))],
    ["a truth", false, good(text("false"))],
    ["an object, in its order", { b: 1, a: [true, null, "x"] }, good(text('{"b":1,"a":[true,null,"x"]}'))],
    ["a list of strings", ["a", "b"], good(text('["a","b"]'))],
    ["what is undefined inside", { a: undefined, b: [undefined] }, good(text('{"b":[null]}'))],
    ["a date", { at: new Date(0) }, good(text('{"at":"1970-01-01T00:00:00.000Z"}'))],
    [
      "what writes itself",
      { price: new Money(5), at: new URL("https://a.b/c") },
      good(text('{"price":{"cents":5},"at":"https://a.b/c"}')),
    ],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), good(text('{"a":1}'))],
    ["an object of another realm", runInNewContext("({ a: [1] })"), good(text('{"a":[1]}'))],
    ["the same object twice", ((one) => [one, one])({ a: 1 }), good(text('[{"a":1},{"a":1}]'))],
    ["half a character", { a: "\ud800" }, good(text('{"a":"\\ud800"}'))],
    ["an image", image(png, "image/png"), good(pngPart)],
    [
      "media and texts",
      ["Here it is:", image(png, "image/png"), { ok: true }],
      good(text("Here it is:"), pngPart, text('{"ok":true}')),
    ],
  ])("%s", (_, returned, expected) => {
    expect(toolResult(returned)).toEqual(expected);
  });

  const cyclic: Record<string, unknown> = { name: "a" };
  cyclic["self"] = { inner: [cyclic] };
  let deep: unknown = 1;
  for (let i = 0; i < 50_000; i++) deep = [deep];

  test.each<[string, unknown, string]>([
    ["a BigInt", { id: 10n }, "`id` is a BigInt, which has no JSON form"],
    ["a BigInt alone", 10n, "it is a BigInt, which has no JSON form"],
    ["a circle", cyclic, "`self.inner[0]` is a circular reference"],
    ["a function", { go: () => 1 }, "`go` is a function, which has no JSON form"],
    ["a symbol", [Symbol("a")], "`[0]` is a symbol, which has no JSON form"],
    ["a Map", { by: new Map([["a", 1]]) }, "`by` is a Map, which has no JSON form"],
    ["a Set", new Set([1]), "it is a Set, which has no JSON form"],
    ["not a number", { rate: Number.NaN }, "`rate` is NaN, which has no JSON form"],
    ["an error", new Error("no such file"), "it is an Error (no such file), which has no JSON form"],
    ["an instance of a class", { invoice: new Invoice() }, "`invoice` is an Invoice, which has no JSON form"],
    ["a promise that nobody awaited", { rows: Promise.resolve(1) }, "`rows` is a Promise, which has no JSON form"],
    ["a response", new Response("x"), "it is a Response, which has no JSON form"],
    ["bytes", png, "it is bytes without a media type (use image() or file())"],
    ["bytes inside", { data: Buffer.from("x") }, "`data` is bytes without a media type (use image() or file())"],
    [
      "an image inside",
      { picture: image(png, "image/png") },
      "`picture` is an image or a file inside another value (return it alone or in a list)",
    ],
    ["an image beside a BigInt", [image(png, "image/png"), 10n], "it is a BigInt, which has no JSON form"],
    [
      "what writes itself as a Map",
      { a: { toJSON: () => ({ b: new Map() }) } },
      "`b` is a Map, which has no JSON form",
    ],
    ["what writes itself as nothing", { toJSON: () => undefined }, "it has no JSON form"],
    [
      "what cannot write itself",
      {
        a: {
          toJSON: () => {
            throw new Error("closed");
          },
        },
      },
      "it cannot be read: closed",
    ],
    [
      "a getter that throws",
      {
        a: {
          get b() {
            throw new Error("closed");
          },
        },
      },
      "`a.b` cannot be read: closed",
    ],
    [
      "a proxy that throws",
      new Proxy(
        {},
        {
          getPrototypeOf() {
            throw new Error("gone");
          },
        },
      ),
      "it cannot be read: gone",
    ],
    ["nesting without end", deep, "it is nested too deeply, or too long"],
  ])("cannot be written when it is %s, and the model is told that the tool ran", (_, returned, reason) => {
    expect(toolResult(returned)).toEqual(unwritten(reason));
  });

  test("is told in Chinese too", () => {
    expect(toolResult(undefined, "zh")).toEqual(good(text("已完成。")));
    expect(toolResult({ id: 10n }, "zh")).toEqual(
      bad("工具已经执行，但其结果无法传递：`id` 是 BigInt，JSON 无法表示。"),
    );
  });

  test("is passed on as it is when it is long", () => {
    const long = "x".repeat(50_000_000);
    const [part] = toolResult(long).parts;
    expect(part?.type === "text" && part.text === long).toBe(true);
    const [json] = toolResult({ long }).parts;
    expect(json?.type === "text" && json.text.length).toBe(long.length + 11);
  });
});

describe("what the tools of MCP servers return", () => {
  test.each<[string, unknown, object]>([
    ["text", { content: [text("a"), { ...text("b"), annotations: {} }] }, good(text("a"), text("b"))],
    ["an error", { content: [text("no")], isError: true }, bad("no")],
    ["an image", { content: [{ type: "image", data: "iVBORw==", mimeType: "image/png" }] }, good(pngPart)],
    [
      "sound",
      { content: [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }] },
      good({ type: "media", kind: "audio", mediaType: "audio/wav", source: { type: "bytes", data: "AAAA" } }),
    ],
    [
      "a resource with text",
      { content: [{ type: "resource", resource: { uri: "file:///a.md", text: "# A" } }] },
      good({ type: "text", text: "# A", document: { title: "file:///a.md" } }),
    ],
    [
      "a resource with bytes",
      {
        content: [{ type: "resource", resource: { uri: "file:///a.pdf", mimeType: "application/pdf", blob: "AAAA" } }],
      },
      good({
        type: "media",
        kind: "file",
        mediaType: "application/pdf",
        source: { type: "bytes", data: "AAAA" },
        name: "a.pdf",
      }),
    ],
    [
      "a link",
      { content: [{ type: "resource_link", uri: "file:///a", name: "a", _meta: {} }] },
      good(text('{"uri":"file:///a","name":"a"}')),
    ],
    [
      "something structured, said as text too",
      { content: [text('{"a":1}')], structuredContent: { a: 1 } },
      good(text('{"a":1}')),
    ],
    ["something structured alone", { content: [], structuredContent: { a: 1 } }, good(text('{"a":1}'))],
  ])("%s", (_, returned, expected) => {
    expect(toolResult(returned)).toEqual(expected);
  });

  test.each([
    [{ content: [] }],
    [{ content: [{ type: "text" }] }],
    [{ content: [text("a")], nextPage: 2 }],
    [{ content: [{ type: "note", text: "a" }] }],
    [{ content: "a" }],
  ])("is JSON like any other when it is not of that form: %j", (returned) => {
    expect(toolResult(returned)).toEqual(good(text(JSON.stringify(returned))));
  });
});

describe("media", () => {
  const source = (media: unknown): unknown => {
    const [part] = toolResult(media).parts;
    return part?.type === "media" ? { kind: part.kind, mediaType: part.mediaType, source: part.source } : part;
  };
  const bytes = { type: "bytes", data: "iVBORw==" };

  test.each([
    ["bytes", image(png, "image/png"), "image", "image/png", bytes],
    ["a part of a buffer", image(new Uint8Array([0, ...png]).subarray(1), "image/png"), "image", "image/png", bytes],
    ["a buffer", image(png.buffer, "image/png"), "image", "image/png", bytes],
    ["base64", image("iVBORw==", "image/png"), "image", "image/png", bytes],
    ["an address with the data", image("data:image/png;base64,iVBORw=="), "image", "image/png", bytes],
    [
      "an address on the web",
      image("https://a.b/c.png"),
      "image",
      undefined,
      { type: "url", url: "https://a.b/c.png" },
    ],
    ["a film", file(png, { mediaType: "video/mp4" }), "video", "video/mp4", bytes],
    ["a file", file(png, { mediaType: "application/pdf" }), "file", "application/pdf", bytes],
  ])("is made of %s", (_, media, ...[kind, mediaType, from]) => {
    expect(source(media)).toEqual({ kind, mediaType, source: from });
  });

  test("has a name", () => {
    expect(toolResult(file(png, { mediaType: "text/csv", name: "a.csv" })).parts).toMatchObject([{ name: "a.csv" }]);
  });

  test.each([
    [() => image(png), "mediaType of image()"],
    [() => image(png, "png"), "mediaType of image()"],
    [() => file("not base64!", { mediaType: "a/b" }), "data of file()"],
    [() => file("", { mediaType: "a/b" }), "data of file()"],
    [() => file(7 as never, { mediaType: "a/b" }), "data of file()"],
  ])("is refused with the reason: %s", (make, sentence) => {
    expect(make).toThrow(sentence);
  });
});

describe("what a tool threw", () => {
  test.each<[string, unknown, string]>([
    ["an error", new TypeError("no such file"), "no such file"],
    ["an error without a message", new RangeError(), "RangeError"],
    ["several errors", new AggregateError([new Error("a"), "b"]), "a; b"],
    ["text", "no", "no"],
    ["an object with a message", { message: "no", code: 3 }, "no"],
    ["an object", { code: 3 }, '{"code":3}'],
    ["a number", 404, "404"],
    ["nothing", undefined, "The tool failed without a message."],
    ["null", null, "null"],
    ["a symbol", Symbol("a"), "Symbol(a)"],
    [
      "what cannot be read",
      {
        get message() {
          throw new Error("x");
        },
      },
      "The tool failed without a message.",
    ],
    ["what is cyclic", ((one: unknown[]) => (one.push(one), one))([]), "The tool failed without a message."],
  ])("%s is told without a stack", (_, thrown, said) => {
    expect(toolError(thrown)).toEqual(bad(said));
  });

  test("is told in Chinese when it says nothing itself", () => {
    expect(toolError(undefined, "zh")).toEqual(bad("工具执行失败，没有说明原因。"));
  });
});
