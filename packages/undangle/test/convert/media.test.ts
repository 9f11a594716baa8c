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
      expect(lost).toEqual(["messages[0].content[0]: a text document"]);
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
      "messages[0].content[1]: the detail level of an image",
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

describe("what a provider of the chat format does not take", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: png } };
  const document = {
    type: "document",
    title: "a.pdf",
    source: { type: "base64", media_type: "application/pdf", data: pdf },
  };
  const note = { type: "document", source: { type: "base64", media_type: "text/plain", data: "SGVsbG8u" } };
  const asked = { role: "user", content: [{ type: "text", text: "Look." }, image, document] };
  const call = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "shot", input: {} }] };
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [image] }] };

  const written = (provider: string, ...messages: readonly object[]) =>
    convert(
      { model: "m", max_tokens: 9, messages },
      { from: "anthropic", to: "openai-chat", provider, model: models[provider] ?? "m" },
    );

  const models: Readonly<Record<string, string>> = { deepseek: "deepseek-v4-pro" };

  test("DeepSeek is told in words of what can be seen, also in a result", () => {
    const { output, losses } = written("deepseek", asked, call, result);
    expect(JSON.stringify(output)).not.toMatch(/image_url|"file"/u);
    expect(output).toMatchObject({
      messages: [
        {
          role: "user",
          content: [{ text: "Look." }, { text: "[image: image/png]" }, { text: "[file: a.pdf]" }],
        },
        { role: "assistant" },
        { role: "tool", content: "[image: image/png]" },
      ],
    });
    expect(losses.filter(({ what }) => /image|file/u.test(what))).toHaveLength(3);
  });

  test.each(["moonshot", "zhipu", "dashscope", "minimax", "groq", "xai", "vllm", "llamacpp"])(
    "%s gets an image, and a few words for a file",
    (provider) => {
      expect(written(provider, asked).output).toMatchObject({
        messages: [{ content: [{ type: "text" }, { type: "image_url" }, { type: "text", text: "[file: a.pdf]" }] }],
      });
    },
  );

  const seen = (provider: string, model: string): string =>
    JSON.stringify(
      convert({ model, max_tokens: 9, messages: [asked] }, { from: "anthropic", to: "openai-chat", provider, model })
        .output,
    );

  test.each([
    ["zhipu", "glm-4.6"],
    ["zhipu", "glm-4.5-air"],
    ["dashscope", "qwen3-max"],
    ["dashscope", "qwen3-coder-plus"],
    ["groq", "openai/gpt-oss-120b"],
    ["groq", "llama-3.3-70b-versatile"],
    ["moonshot", "kimi-k2-0905-preview"],
    ["moonshot", "moonshot-v1-8k"],
    ["minimax", "MiniMax-M2"],
    ["deepseek", "deepseek-chat"],
    ["zhipu", "glm-5.3"],
    ["dashscope", "qwen3.7-max"],
    ["openrouter", "deepseek/deepseek-v4-pro"],
    ["openrouter", "z-ai/glm-4.6"],
  ])("of %s the model %s, which cannot see, is told in words of an image", (provider, model) => {
    expect(seen(provider, model)).toContain("[image: image/png]");
    expect(seen(provider, model)).not.toContain("image_url");
  });

  test.each([
    ["zhipu", "glm-4.5v"],
    ["zhipu", "glm-4v-plus"],
    ["dashscope", "qwen3-vl-plus"],
    ["dashscope", "qwen3.5-plus"],
    ["groq", "meta-llama/llama-4-scout-17b-16e-instruct"],
    ["moonshot", "kimi-k2.5"],
    ["moonshot", "moonshot-v1-8k-vision-preview"],
    ["minimax", "MiniMax-VL-01"],
    ["deepseek", "deepseek-flash"],
    ["deepseek", "deepseek-v4-flash"],
    ["zhipu", "glm-5.3-flash"],
    ["zhipu", "glm-5v-turbo"],
    ["dashscope", "qwen3.8-max"],
    ["openrouter", "z-ai/glm-4.6v"],
  ])("of %s the model %s gets the image", (provider, model) => {
    expect(seen(provider, model)).toContain("image_url");
  });

  test.each(["mistral", "groq"])("%s gets a file of text as text", (provider) => {
    expect(written(provider, { role: "user", content: [note] }).output).toMatchObject({
      messages: [{ content: [{ type: "text", text: "Hello." }] }],
    });
  });

  test("Mistral gets a document as it has them", () => {
    const url = `data:application/pdf;base64,${pdf}`;
    expect(written("mistral", asked).output).toMatchObject({
      messages: [
        {
          content: [
            { type: "text" },
            { type: "image_url" },
            { type: "document_url", document_url: url, document_name: "a.pdf" },
          ],
        },
      ],
    });
  });
});

describe("an image in the result of a call", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: png } };
  const messages = [
    { role: "user", content: "Look." },
    { role: "assistant", content: ["a", "b"].map((id) => ({ type: "tool_use", id, name: "shot", input: {} })) },
    { role: "user", content: ["a", "b"].map((id) => ({ type: "tool_result", tool_use_id: id, content: [image] })) },
  ];
  const resultsFor = (model: string): readonly unknown[] => {
    const { output } = convert({ model: "m", max_tokens: 9, messages }, { from: "anthropic", to: "gemini", model });
    return (output as { readonly contents: readonly unknown[] }).contents.slice(2); // a body was given
  };
  const inlineData = { mimeType: "image/png", data: png };
  const result = (id: string, more = {}) => ({
    functionResponse: { id, name: "shot", response: { result: "" }, ...more },
  });

  test("follows the results before Gemini 3, which refuses it in them", () => {
    expect(resultsFor("gemini-2.5-flash")).toEqual([
      { role: "user", parts: [result("a"), result("b")] },
      { role: "user", parts: [{ inlineData }, { inlineData }] },
    ]);
  });

  test("stands in its result from Gemini 3 on", () => {
    const parts = [{ inlineData }];
    expect(resultsFor("gemini-3-pro-preview")).toEqual([
      { role: "user", parts: [result("a", { parts }), result("b", { parts })] },
    ]);
  });
});

describe("bytes of a type that is refused", () => {
  const shown = (to: Format, provider: string | undefined, mediaType: string) => {
    const part = { type: "file", mediaType, data: "SGVsbG8=", filename: "f" };
    return JSON.stringify(convert([{ role: "user", content: [part] }], { from: "ai-sdk", to, provider }).output);
  };

  test.each<[Format, string | undefined, string, string]>([
    ["openai-responses", undefined, "image/svg+xml", "[image: f]"],
    ["openai-responses", undefined, "image/tiff", "[image: f]"],
    ["openai-chat", "openai", "image/heic", "[image: f]"],
    ["gemini", undefined, "image/svg+xml", "[image: f]"],
    ["gemini", undefined, "application/zip", "[file: f]"],
    ["gemini", undefined, "application/json", "Hello"],
  ])("in %s of %s, %s, is told in words", (to, provider, mediaType, words) => {
    expect(shown(to, provider, mediaType)).toContain(`"${words}"`);
    expect(shown(to, provider, mediaType)).not.toContain("SGVsbG8=");
  });

  test.each<[Format, string | undefined, string]>([
    ["openai-responses", undefined, "image/webp"],
    ["openai-chat", "openai", "image/jpeg"],
    ["openai-chat", "vllm", "image/tiff"],
    ["gemini", undefined, "image/heic"],
    ["gemini", undefined, "application/pdf"],
    ["gemini", undefined, "text/csv"],
  ])("in %s of %s, %s, is none of them", (to, provider, mediaType) => {
    expect(shown(to, provider, mediaType)).toContain("SGVsbG8=");
  });
});
