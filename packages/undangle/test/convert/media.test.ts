import { convert } from "undangle";
import type { Format } from "undangle";
import { describe, expect, test } from "vitest";
import { allFormats } from "./formats.ts";

const png = "iVBORw0KGgo=";
const pdf = "JVBERi0xLjQ=";

/** What becomes of the parts of a message to a user, as an array of messages. */
const convertParts = (from: Format, to: Format, ...parts: readonly object[]) => {
  const message = from === "langchain" ? { type: "human", content: parts } : { role: "user", content: parts };
  const { output, losses } = convert([message], { from, to });
  const [first] = output as readonly { readonly content?: unknown; readonly parts?: unknown }[];
  return { parts: first?.content ?? first?.parts, lost: losses.map(({ path, what }) => `${path}: ${what}`) };
};

describe("a document of text in a message of LangChain", () => {
  const text = "The secret word is banana.";
  const document = {
    type: "document",
    title: "Secrets",
    source: { type: "text", media_type: "text/plain", data: text },
  };

  test("is one where there is one", () => {
    expect(convertParts("langchain", "anthropic", document)).toEqual({ parts: [document], lost: [] });
  });

  test.each(allFormats.filter((format) => format !== "anthropic" && format !== "langchain"))(
    "is its text in %s",
    (to) => {
      const { parts, lost } = convertParts("langchain", to, document);
      expect(JSON.stringify(parts)).toContain(text);
      expect(lost).toEqual(["messages[0].content[0]: a document of text"]);
    },
  );
});

describe("media in the shapes that LangChain takes", () => {
  test.each([
    [
      "a file as OpenAI has it",
      { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` } },
    ],
    ["media as Google has it", { type: "media", mimeType: "application/pdf", data: pdf }],
  ])("%s", (_, block) => {
    expect(convertParts("langchain", "anthropic", block)).toMatchObject({
      parts: [{ type: "document", source: { type: "base64", media_type: "application/pdf", data: pdf } }],
      lost: [],
    });
  });

  test("an image as bytes", () => {
    const data = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    expect(convertParts("langchain", "anthropic", { type: "image", mimeType: "image/png", data })).toMatchObject({
      parts: [{ type: "image", source: { type: "base64", media_type: "image/png", data: png } }],
      lost: [],
    });
  });

  test("the id of a file", () => {
    const block = { type: "file", file: { file_id: "file-1" } };
    expect(convertParts("langchain", "openai-chat", block)).toEqual({ parts: [block], lost: [] });
  });
});

describe("documents without a name", () => {
  test("have names of their own in bedrock, in the whole request", () => {
    const file = { type: "file", file: { file_data: `data:application/pdf;base64,${pdf}` } };
    const messages = [
      { role: "user", content: [file, file] },
      { role: "assistant", content: "Yes?" },
      { role: "user", content: [file] },
    ];
    const { output } = convert(messages, { from: "openai-chat", to: "bedrock" });
    expect(JSON.stringify(output).match(/"name":"[^"]*"/g)).toEqual([
      '"name":"document"',
      '"name":"document-2"',
      '"name":"document-3"',
    ]);
  });
});

describe("an object in the store of a cloud", () => {
  const image = { image: { format: "png", source: { s3Location: { uri: "s3://bucket/a.png" } } } };

  test.each(allFormats.filter((format) => format !== "bedrock"))("in S3 is told as text in %s", (to) => {
    const { parts, lost } = convertParts("bedrock", to, image);
    expect(JSON.stringify(parts)).toContain("[image: s3://bucket/a.png]");
    expect(lost).toEqual(["messages[0].content[0]: an image by an address in S3"]);
  });

  test("in Google's cloud is one for ai-sdk, and back, and text elsewhere", () => {
    const fileData = { mimeType: "application/pdf", fileUri: "gs://bucket/a.pdf" };
    const contents = [{ role: "user", parts: [{ fileData }] }];
    const there = convert(contents, { from: "gemini", to: "ai-sdk" });
    expect(there).toMatchObject({ output: [{ content: [{ type: "file", data: "gs://bucket/a.pdf" }] }], losses: [] });
    expect(convert(there.output, { from: "ai-sdk", to: "gemini" }).output).toEqual(contents);
    const { output, losses } = convert(contents, { from: "gemini", to: "anthropic" });
    expect(output).toMatchObject([{ content: "[file: gs://bucket/a.pdf]" }]);
    expect(losses.map(({ what }) => what)).toEqual(["a file by an address in Google Cloud Storage"]);
  });

  test("in S3 stays one in bedrock", () => {
    const part = { type: "image", image: "s3://bucket/a.png", mediaType: "image/png" };
    expect(convertParts("ai-sdk", "bedrock", part)).toEqual({ parts: [image], lost: [] });
  });
});

describe("what gemini has no place for", () => {
  test("the name of a file, and how closely to look at an image", () => {
    const file = { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` } };
    const image = { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "high" } };
    expect(convertParts("openai-chat", "gemini", file, image).lost).toEqual([
      "messages[0].content[0]: the name of a file",
      "messages[0].content[1]: how closely an image is to be looked at",
    ]);
  });

  test("that an answer is not to be stored", () => {
    const { losses } = convert({ model: "gpt-5.1", input: "Hi.", store: false }, { to: "gemini" });
    expect(losses.map(({ path }) => path)).toEqual(["store"]);
  });
});

describe("a PDF by URL", () => {
  test.each([
    ["anthropic", { type: "document", source: { type: "url", url: "https://example.com/a" } }],
    ["openai-responses", { type: "input_file", file_url: "https://example.com/a.pdf?b" }],
  ] as const)("from %s is one in ai-sdk, and back", (from, part) => {
    const { parts } = convertParts(from, "ai-sdk", part);
    expect(parts).toMatchObject([{ type: "file", mediaType: "application/pdf" }]);
    expect(convertParts("ai-sdk", from, ...(parts as readonly object[]))).toEqual({ parts: [part], lost: [] });
  });
});
