import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { openaiMajors } from "../clients/official-sdks.ts";
import { answering, chunk, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/** Perplexity's chunks have all that was said so far beside what is new; every answer of it was written anew. */
const words = ["Hello", " big", " world"];
const body = events(
  ...words.map((content, i) =>
    chunk({ role: "assistant", content }, i === words.length - 1 ? "stop" : null, {
      message: { role: "assistant", content: words.slice(0, i + 1).join("") },
    }),
  ),
);

test.each(ways)("a message beside a delta passes as it came, in pieces of $size, calls: $toolCalls", async (way) => {
  const { text, error, told } = await passedThrough({ ...chat, ...way, body });
  expect(error).toBeUndefined();
  expect(text).toBe(body);
  expect(told).toEqual([]);
});

describe.each(openaiMajors)("$sdk", ({ OpenAI }) => {
  const asked = { model: "m", messages: [{ role: "user" as const, content: "Hi." }] };
  const clientWith = (fetch: typeof globalThis.fetch): InstanceType<typeof OpenAI> =>
    new OpenAI({ apiKey: "k", baseURL: "https://api.perplexity.ai", maxRetries: 0, fetch });
  const said = async (fetch: typeof globalThis.fetch): Promise<string | null> =>
    (await clientWith(fetch).chat.completions.stream(asked).finalMessage()).content;

  test("its stream() says the last piece twice on its own, and once by wrapFetch", async () => {
    expect(await said(answering(body))).toBe("Hello big world world");
    expect(await said(wrapFetch({ logger: false, fetch: answering(body) }))).toBe("Hello big world");
  });

  test("its chunks are those that came", async () => {
    const fetch = wrapFetch({ logger: false, fetch: answering(body) });
    const stream = await clientWith(fetch).chat.completions.create({ ...asked, stream: true });
    const chunks: object[] = [];
    for await (const each of stream) chunks.push(each);
    expect(events(...chunks)).toBe(body);
  });
});
