import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { wrapFetch } from "undangle";
import type { StreamFormat, WireRepair } from "undangle";
import { describe, expect, test } from "vitest";

import { allStreams } from "./streams/all.ts";

// The output of `wrapFetch` does not depend on how the network splits the bytes. Each stream is sent whole, byte by byte, and in two
// chunks. The two are cut at a sample of positions: all around line ends and characters of several bytes, and some in between.

const addresses: Readonly<Partial<Record<StreamFormat, string>>> = {
  "openai-chat": "https://host.example/v1/chat/completions",
  "openai-responses": "https://host.example/v1/responses",
  anthropic: "https://host.example/v1/messages",
  gemini: "https://host.example/v1beta/models/g:streamGenerateContent?alt=sse",
  ollama: "http://127.0.0.1:11434/api/chat",
};

const request = JSON.stringify({ model: "m", stream: true, max_tokens: 9, messages: [], input: "Hi.", contents: [] });

interface Stream {
  readonly id: string;
  readonly format: StreamFormat;
  readonly sent: string;
}

/** The output, the error and the reports for a stream in chunks. */
async function passed(
  { format }: Stream,
  chunks: readonly Uint8Array[],
  toolCalls: "hold" | "stream",
): Promise<unknown> {
  const reports: WireRepair[] = [];
  const queue = [...chunks];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = queue.shift();
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk.slice());
      },
    },
    { highWaterMark: 0 },
  );
  const type = format === "ollama" ? "application/x-ndjson" : "text/event-stream";
  const fetch = wrapFetch({
    logger: false,
    toolCalls,
    onRepair: (repair) => void reports.push(repair),
    fetch: async () => new Response(body, { headers: { "content-type": type } }),
  });
  const headers = { "content-type": "application/json" };
  const response = await fetch(addresses[format] ?? "", { method: "POST", headers, body: request });
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  let error: string | undefined;
  try {
    for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read())
      text += decoder.decode(chunk.value, { stream: true });
  } catch (thrown) {
    error = String(thrown);
  }
  return { text, error, reports };
}

const samples = 16;

/** Indexes around line ends and characters of several bytes, and some others. At most so many of each. */
function cutsIn(bytes: Uint8Array): readonly number[] {
  const special = [...bytes.keys()].filter((at) => [at - 2, at - 1, at].some((near) => isSpecial(bytes[near])));
  return [...new Set([...spread(special), ...spread([...bytes.keys()])])];
}

const isSpecial = (byte: number | undefined): boolean => byte === 0x0a || byte === 0x0d || (byte ?? 0) > 0x7f;

const spread = (all: readonly number[]): readonly number[] =>
  all.filter((_, i) => i % Math.ceil(all.length / samples) === 0);

async function expectSame(stream: Stream): Promise<void> {
  const bytes = new TextEncoder().encode(stream.sent);
  for (const toolCalls of ["hold", "stream"] as const) {
    const whole = await passed(stream, [bytes], toolCalls);
    const one = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(await passed(stream, one, toolCalls), `byte by byte, ${toolCalls}`).toEqual(whole);
    for (const at of cutsIn(bytes)) {
      const two = [bytes.subarray(0, at), bytes.subarray(at)].filter(({ length }) => length > 0);
      expect(await passed(stream, two, toolCalls), `cut at ${at}, ${toolCalls}`).toEqual(whole);
    }
  }
}

const isPassed = ({ format }: { readonly format: StreamFormat }): boolean => addresses[format] !== undefined;

describe("The output does not depend on chunks", () => {
  test.each(allStreams.filter(isPassed))("$id", expectSame);
});

const file = join(process.env["UNDANGLE_CORPUS"] ?? "", "streams.jsonl");

describe.runIf(existsSync(file))("nor for the streams that UNDANGLE_CORPUS names (skipped where it names none)", () => {
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  const recorded = lines.map((line) => JSON.parse(line) as { id: string; format: StreamFormat; sse: string }); // see its README
  test.each(recorded.filter(isPassed).map(({ id, format, sse }) => ({ id, format, sent: sse })))("$id", expectSame);
});
