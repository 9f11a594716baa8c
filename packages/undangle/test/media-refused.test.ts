import { check, convert, explain, repair, wrapFetch } from "undangle";
import { wireServer } from "undangle/testing";
import { describe, expect, test } from "vitest";

const png = "data:image/png;base64,iVBORw0KGgo=";
const image = { type: "image_url", image_url: { url: png } };
const look = { type: "text", text: "What is it?" };
const shown = { role: "user", content: [look, image] };
const seen = { model: "deepseek-chat", messages: [shown] };

describe("an image for a model of DeepSeek that takes text", () => {
  test("is found, and told in words; the edit keeps it", () => {
    expect(check(seen, { provider: "deepseek" })).toMatchObject([
      { rule: "media-refused", path: "messages[0].content[1]", repairable: true, confidence: "known" },
    ]);
    const { output, edits, problems } = repair(seen, { provider: "deepseek" });
    const words = { type: "text", text: "[image: image/png]" };
    expect(output.messages).toEqual([{ role: "user", content: [look, words] }]);
    expect(edits).toMatchObject([
      { rule: "media-refused", type: "rewrite", before: image, after: words, lossless: false, reconstructed: false },
    ]);
    expect(problems).toEqual([]);
  });

  test("that stands in a result is told there, and not in a message of its own", () => {
    const call = { id: "call_1", type: "function", function: { name: "shot", arguments: "{}" } };
    const messages = [
      { role: "user", content: "Take a screenshot." },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "taken" }, image] },
    ];
    const { output } = repair({ model: "deepseek-v4-pro", messages }, { provider: "deepseek" });
    expect(output.messages.slice(2)).toEqual([
      {
        role: "tool",
        tool_call_id: "call_1",
        content: [
          { type: "text", text: "taken" },
          { type: "text", text: "[image: image/png]" },
        ],
      },
    ]);
  });

  test("by its address is told with it, whatever format it was written in", () => {
    const foreign = { type: "image", source: { type: "url", url: "https://example.org/a.png" } };
    const body = { ...seen, messages: [{ role: "user", content: [foreign] }] };
    const { output } = repair(body, { format: "openai-chat", provider: "deepseek" });
    expect(output.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "[image: https://example.org/a.png]" }] },
    ]);
  });

  test("is a loss of a conversion within the format", () => {
    const { losses } = convert(seen, { to: "openai-chat", provider: "deepseek" });
    expect(losses.map(({ path }) => path)).toEqual(["messages[0].content[1]"]);
  });

  test.each([
    ["nobody in particular", { model: "deepseek-chat" }, undefined],
    ["a model that sees", { model: "deepseek-flash" }, "deepseek"],
    ["a model that nobody knows", { model: "deepseek-next" }, "deepseek"],
    ["a request without a model", {}, "deepseek"],
  ])("is left alone for %s", (_, more, provider) => {
    const body = { messages: [shown], ...more };
    expect(check(body, { format: "openai-chat", provider })).toEqual([]);
    expect(repair(body, { format: "openai-chat", provider }).output).toBe(body);
  });
});

describe("a file", () => {
  const bytes = (type: string, data: string) => ({ filename: "a.x", file_data: `data:${type};base64,${data}` });
  const mended = (provider: string, file: object) => {
    const messages = [{ role: "user", content: [look, { type: "file", file }] }];
    const { output, edits } = repair(messages, { format: "openai-chat", provider });
    return { part: output[0]?.content[1], lossless: edits.map(({ lossless }) => lossless) };
  };

  test("of text is its text, and nothing is lost", () => {
    const part = { type: "text", text: "Hello." };
    expect(mended("groq", bytes("text/plain", "SGVsbG8u"))).toEqual({ part, lossless: [true] });
  });

  test("of anything else is named where there are none", () => {
    const part = { type: "text", text: "[file: a.x]" };
    expect(mended("vllm", bytes("application/pdf", "JVBERi0xLjQ="))).toEqual({ part, lossless: [false] });
  });

  test("is a document for Mistral, and nothing is lost", () => {
    const part = {
      type: "document_url",
      document_url: "data:application/pdf;base64,JVBERi0xLjQ=",
      document_name: "a.x",
    };
    expect(mended("mistral", bytes("application/pdf", "JVBERi0xLjQ="))).toEqual({ part, lossless: [true] });
  });
});

describe("over the wire", () => {
  /** What a strict server of DeepSeek says to the request. */
  async function ask(fetchWith: (url: string) => typeof fetch): Promise<{ status: number; text: string }> {
    const server = await wireServer({ provider: "deepseek" });
    const send = fetchWith(server.url);
    const response = await send(`${server.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify(seen) });
    const text = await response.text();
    await server.close();
    return { status: response.status, text };
  }

  test("the server refuses it in the words of the provider, which are explained", async () => {
    const { status, text } = await ask(() => fetch);
    expect(status).toBe(400);
    expect(text).toContain("unknown variant `image_url`, expected `text`");
    expect(explain(text)[0]).toMatchObject({ rule: "media-refused", confidence: "known" });
  });

  test("wrapFetch mends it for a provider that is named", async () => {
    expect((await ask(() => wrapFetch({ logger: false, provider: "deepseek" }))).status).toBe(200);
  });

  test("a server of which only the model is known is sent what was said", async () => {
    expect((await ask(() => wrapFetch({ logger: false }))).status).toBe(400);
  });
});

describe("what can be seen inside a response", () => {
  const inlineData = { mimeType: "image/png", data: "iVBORw0KGgo=" };
  const asked = [
    { role: "user", parts: [{ text: "Take a screenshot." }] },
    { role: "model", parts: [{ functionCall: { name: "shot", args: {} } }] },
  ];
  const response = { name: "shot", response: { output: "taken" } };
  const contents = [
    ...asked,
    { role: "user", parts: [{ functionResponse: { ...response, parts: [{ inlineData }] } }] },
  ];

  test("stands behind it for a Gemini before 3, and is not lost", () => {
    const { output, edits } = repair({ contents }, { model: "gemini-2.5-flash" });
    expect(output.contents).toEqual([
      ...asked,
      { role: "user", parts: [{ functionResponse: response }] },
      { role: "user", parts: [{ inlineData }] },
    ]);
    expect(edits).toMatchObject([
      {
        rule: "media-refused",
        type: "move",
        from: "contents[2].parts[0].functionResponse.parts",
        to: "contents[3]",
        lossless: true,
      },
    ]);
  });

  test("stands before a turn that is left open, which may be several contents of the model's", () => {
    const calls = { role: "model", parts: [{ functionCall: { name: "shot", args: {} } }] };
    const open = [
      asked[0],
      calls,
      { role: "model", parts: [{ functionCall: { name: "wait", args: {} } }] },
      contents[2],
    ];
    const options = { model: "gemini-2.5-flash", danglingAtEnd: "leave" } as const;
    const { output, problems } = repair({ contents: open }, options);
    expect(output.contents.map((content) => content?.role)).toEqual(["user", "user", "model", "user"]);
    expect(problems.map(({ rule }) => rule)).toEqual(["unanswered-call"]);
    expect(repair(output, options).output).toBe(output);
  });

  test("is left alone for a later one, and for one that nobody names", () => {
    const signed = structuredClone(contents);
    Object.assign(signed[1]?.parts[0] ?? {}, { thoughtSignature: "c2ln" });
    expect(check({ contents: signed }, { model: "gemini-3-pro-preview" })).toEqual([]);
    expect(check({ contents })).toEqual([]);
  });
});

describe("bytes that Anthropic does not take under their name", () => {
  const body = (type: string, media_type: string, data: string) => {
    const block = { type, source: { type: "base64", media_type, data } };
    return { model: "claude-opus-4-7", max_tokens: 9, messages: [{ role: "user", content: [block, look] }] };
  };
  const mended = (...block: readonly [type: string, media_type: string, data: string]) => {
    const { output, edits } = repair(body(...block), { format: "anthropic" });
    return { block: output.messages[0]?.content[0], lossless: edits.map(({ lossless }) => lossless) };
  };
  const jpeg = "/9j/4AAQSkZJRg==";

  test.each([
    ["image", "image/jpg", jpeg, { type: "image", media_type: "image/jpeg" }],
    ["image", "image/png", jpeg, { type: "image", media_type: "image/jpeg" }],
    ["image", "application/octet-stream", "iVBORw0KGgo=", { type: "image", media_type: "image/png" }],
    ["image", "application/pdf", "JVBERi0xLjQ=", { type: "document", media_type: "application/pdf" }],
    ["document", "image/png", "iVBORw0KGgo=", { type: "image", media_type: "image/png" }],
  ])("%s of type %s is what its bytes are", (type, given, data, { type: right, media_type }) => {
    const source = { type: "base64", media_type, data };
    expect(mended(type, given, data)).toEqual({ block: { type: right, source }, lossless: [true] });
  });

  test("a document of text is one", () => {
    const source = { type: "text", media_type: "text/plain", data: "a,b\n1,2" };
    expect(mended("document", "text/csv", "YSxiCjEsMg==")).toEqual({
      block: { type: "document", source },
      lossless: [true],
    });
  });

  test("what nobody can look at is told in words", () => {
    const block = { type: "text", text: "[image: image/heic]" };
    expect(mended("image", "image/heic", "AAAAGGZ0eXA=")).toEqual({ block, lossless: [false] });
  });

  test("they are still there for a format that takes them", () => {
    const { output, losses } = convert(body("image", "image/heic", "AAAAGGZ0eXA="), {
      from: "anthropic",
      to: "gemini",
    });
    expect(output).toMatchObject({
      contents: [{ parts: [{ inlineData: { mimeType: "image/heic" } }, { text: "What is it?" }] }],
    });
    expect(losses.filter(({ path }) => path.includes("content[0]"))).toEqual([]);
  });
});
