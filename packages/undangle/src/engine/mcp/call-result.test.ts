import { describe, expect, test } from "vitest";

import { toolResult } from "../tool-result.ts";
import { callResult } from "./call-result.ts";
import { mcpTexts } from "./connection.ts";

/** The result that the model receives for a server's return value. */
const told = (returned: unknown) => {
  const { parts, isError } = toolResult(callResult(returned, mcpTexts.en));
  const shown = parts.map((part) => (part.type === "text" ? part.text : `${part.kind} ${part.mediaType ?? ""}`));
  return { shown, isError };
};

const text = (said: string) => ({ type: "text", text: said });
const data = "iVBORw0KGgo=";

describe("what is structured", () => {
  const structuredContent = { city: "Paris", degrees: [21, 22] };
  const json = JSON.stringify(structuredContent);

  test.each([
    ["alone", [], [json]],
    ["as text too", [text(json)], [json]],
    [
      "as text in another order",
      [text('{ "degrees": [21, 22], "city": "Paris" }')],
      [`{ "degrees": [21, 22], "city": "Paris" }`],
    ],
    ["beside other texts", [text("Warm.")], ["Warm.", json]],
    ["beside an image", [{ type: "image", data, mimeType: "image/png" }], ["image image/png", json]],
  ])("%s is told once", (_, content, shown) => {
    expect(told({ content, structuredContent })).toEqual({ shown, isError: false });
  });

  test("alone, without any content, is told too", () => {
    expect(told({ structuredContent })).toEqual({ shown: [json], isError: false });
  });

  test.each([
    ["a string", [text("hello")], { result: "hello" }, ["hello"]],
    ["a number", [text("5")], { result: 5 }, ["5"]],
    ["a list", [text("a"), text("b")], { result: ["a", "b"] }, ["a", "b"]],
    ["an empty list", [], { result: [] }, ['{"result":[]}']],
  ])("%s that was wrapped is told once", (_, content, structured, shown) => {
    expect(told({ content, structuredContent: structured })).toEqual({ shown, isError: false });
  });
});

describe("what is odd", () => {
  test.each([
    [
      "a kind of content that nobody knows",
      { content: [{ type: "video", data: "x" }] },
      ['{"type":"video","data":"x"}'],
    ],
    ["keys that nobody knows", { content: [text("yes")], version: 2, _meta: { a: 1 } }, ["yes"]],
    [
      "an image as an address",
      { content: [{ type: "image", data: `data:image/png;base64,${data}`, mimeType: "image/png" }] },
      ["image image/png"],
    ],
    [
      "an image that is none",
      { content: [{ type: "image", data: "not base64!", mimeType: "image/png" }] },
      ["[image/png: could not be read]"],
    ],
    [
      "an empty file",
      { content: [{ type: "resource", resource: { uri: "a:b", blob: "" } }] },
      ["[file: could not be read]"],
    ],
    ["nothing", { content: [] }, ["Done."]],
    ["no object", "just a text", ["just a text"]],
    ["another object", { answer: 42 }, ['{"answer":42}']],
    ["no content at all", { content: null }, ['{"content":null}']],
  ])("%s is told as well as it can be", (_, returned, shown) => {
    expect(told(returned)).toEqual({ shown, isError: false });
  });

  test("base64 in lines and in the letters of addresses is what providers take", () => {
    const { parts } = toolResult(
      callResult({ content: [{ type: "image", data: "ab-_\nab==", mimeType: "image/png" }] }, mcpTexts.en),
    );
    expect(parts).toMatchObject([{ source: { type: "bytes", data: "ab+/ab==" } }]);
  });

  test("an error stays one, whatever is in it", () => {
    expect(told({ content: [{ type: "video" }], isError: true })).toEqual({
      shown: ['{"type":"video"}'],
      isError: true,
    });
    expect(told({ content: [], isError: true })).toEqual({ shown: [mcpTexts.en.failed], isError: true });
    expect(told({ structuredContent: { why: "x" }, isError: true })).toEqual({ shown: ['{"why":"x"}'], isError: true });
  });
});
