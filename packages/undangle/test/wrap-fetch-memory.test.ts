import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { wrapFetch } from "undangle";
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
  body: JSON.stringify({
    model: "m",
    max_tokens: 9,
    stream: true,
    messages: [{ role: "user", content }],
  }),
});

/** The memory that is used when all that nobody holds is gone. */
async function used(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void; // so Node gives it
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20)); // until nobody waits for anything
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test.each(["/v1/messages", "/v1/chat/completions"])(
  "nothing is kept of a stream that is over, nor of what was asked: %s",
  async (path) => {
    const streams = new Map<number, Uint8Array>();
    for (const words of [10, 200_000]) streams.set(words, await streamOf(path, words));
    let next = new Uint8Array();
    const ask = wrapFetch({
      fetch: async () =>
        new Response(ReadableStream.from([next]), { headers: { "content-type": "text/event-stream" } }),
      onRepair: () => expect.fail("A healthy stream was mended."),
      logger: false,
    });
    const readOnce = async (words: number): Promise<void> => {
      next = new Uint8Array(streams.get(words) ?? []);
      const response = await ask(`https://host.example${path}`, asking("word ".repeat(4 * words)));
      expect((await response.arrayBuffer()).byteLength).toBe(streams.get(words)?.length);
      next = new Uint8Array();
    };
    for (const words of [200_000, 10]) await readOnce(words); // everything that is made once is made
    const before = await used();
    await readOnce(200_000);
    expect((await used()) - before).toBeLessThan(600_000); // two megabytes were said, and four were asked
    expect(ask).toBeTypeOf("function"); // it is still there, with all that it keeps
  },
);
