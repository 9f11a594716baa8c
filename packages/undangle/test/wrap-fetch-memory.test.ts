import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { wrapFetch } from "undangle";
import type { WrapFetchOptions } from "undangle";
import { wireServer } from "undangle/testing";
import { expect, test } from "vitest";

/** The stream of a turn that says and writes so many words, as a provider sends it. */
async function streamOf(path: string, words: number): Promise<Uint8Array> {
  const content = "word ".repeat(words);
  const turn = { text: content, calls: [{ id: "call_1", name: "write_file", arguments: { content } }] };
  const server = await wireServer({ strict: false, turns: () => turn });
  const response = await fetch(`${server.url}${path}`, asking("Hi."));
  const bytes = new Uint8Array(await response.arrayBuffer());
  await server.close();
  return bytes;
}

const asking = (content: string): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ model: "m", max_tokens: 9, stream: true, messages: [{ role: "user", content }] }),
});

/** The memory that is used when all that nobody holds is gone. */
async function used(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void; // so Node gives it
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20)); // until nobody waits for anything
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const [few, many] = [10, 60_000];
const ways: readonly WrapFetchOptions[] = [{}, { toolCalls: "stream" }, { mode: "warn" }];
const cases = ["/v1/messages", "/v1/chat/completions"].flatMap((path) => ways.map((way) => [path, way] as const));

test.each(cases)(
  "nothing is kept of a stream that is over, nor of what was asked: %s, %o",
  async (path, way) => {
    const streams = new Map([
      [few, await streamOf(path, few)],
      [many, await streamOf(path, many)],
    ]);
    let next = new Uint8Array();
    const ask = wrapFetch({
      ...way,
      fetch: async () => {
        const pieces = Array.from({ length: Math.ceil(next.length / 16_384) }, (_, i) =>
          next.slice(i * 16_384, (i + 1) * 16_384),
        );
        return new Response(ReadableStream.from(pieces), { headers: { "content-type": "text/event-stream" } });
      },
      onRepair: () => expect.fail("A healthy stream was mended."),
      logger: false,
    });
    const readOnce = async (words: number): Promise<void> => {
      next = new Uint8Array(streams.get(words) ?? []);
      const response = await ask(`https://host.example${path}`, asking("word ".repeat(4 * words)));
      expect((await response.arrayBuffer()).byteLength).toBe(streams.get(words)?.length);
      next = new Uint8Array();
    };
    for (const words of [many, many, many, few]) await readOnce(words); // everything that is made once is made
    const kept: number[] = [];
    for (let round = 0; round < 3; round++) {
      await readOnce(many);
      const after = await used();
      await readOnce(few);
      kept.push(after - (await used()));
    }
    // What is kept is there in every round; what others take meanwhile is not. 600 kB were said, and 1.2 MB asked.
    expect(Math.min(...kept)).toBeLessThan(150_000);
    expect(ask).toBeTypeOf("function"); // it is still there, with all that it keeps
  },
  60_000,
);
