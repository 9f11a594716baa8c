import { wrapFetch } from "undangle";
import { faultNames, faults, wireServer } from "undangle/testing";
import type { FaultName, ScriptedTurn } from "undangle/testing";
import { describe, expect, test } from "vitest";
import { sdks } from "./clients/sdks.ts";
import { turn, verdictOn } from "./clients/verdict.ts";

const live = { logger: false, toolCalls: "stream" } as const;

describe.each(sdks)("calls that pass while they come, through $name", ({ format, hear }) => {
  const names = faultNames(format).filter((name) => faults[name].outcome !== "leaked");

  test.each(names)("%s", async (name) => {
    const server = await wireServer({ strict: false, turns: () => ({ ...turn, faults: [name] }) });
    try {
      const heard = await hear(server.baseUrl(format), wrapFetch(live)).catch(() => undefined);
      expect({ verdict: verdictOn(heard, faults[name].outcome), heard }).toMatchObject({ verdict: "right" });
    } finally {
      await server.close();
    }
  });
});

const requests = {
  "openai-chat": ["/v1/chat/completions", { messages: [{ role: "user", content: "Hi." }] }],
  "openai-responses": ["/v1/responses", { input: "Hi." }],
  anthropic: ["/v1/messages", { max_tokens: 9, messages: [{ role: "user", content: "Hi." }] }],
  gemini: [
    "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    { contents: [{ role: "user", parts: [{ text: "Hi." }] }] },
  ],
  ollama: ["/api/chat", { messages: [{ role: "user", content: "Hi." }] }],
} as const;
const formats = Object.keys(requests) as readonly (keyof typeof requests)[]; // of the table above

const post = (format: keyof typeof requests): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ model: "m", stream: true, ...requests[format][1] }),
});

/** What a server streams in a format. */
async function bytesOf(format: keyof typeof requests, played: ScriptedTurn) {
  const server = await wireServer({ strict: false, turns: () => played });
  const response = await fetch(server.url + requests[format][0], post(format));
  const bytes = new Uint8Array(await response.arrayBuffer());
  await server.close();
  return { bytes, headers: { "content-type": response.headers.get("content-type") ?? "" } };
}

/** What is wrong with the identity of calls, in the formats in which they come piece by piece. */
const identities: Readonly<Record<string, readonly FaultName[]>> = {
  "openai-chat": [
    "id-null-first",
    "id-never",
    "id-changes",
    "id-number",
    "index-missing",
    "index-from-one",
    "type-missing",
    "name-decorated",
    "name-repeated",
  ],
  anthropic: ["anthropic-no-events", "anthropic-ids-shared"],
  "openai-responses": ["responses-item-ids"],
};

const long = { calls: [{ name: "find_book", arguments: { text: "abcdefgh ".repeat(200) } }, { name: "open_file" }] };

describe.each(formats)("a healthy stream of %s, passed while it comes", (format) => {
  const address = `https://host.example${requests[format][0]}`;

  test("comes out as it went in, however it is cut", async () => {
    for (const played of [{ ...turn, reasoning: "Hm. 让我想想。" }, long, { text: "Only words." }]) {
      const { bytes, headers } = await bytesOf(format, played);
      for (const size of [1, 7, 100, bytes.length]) {
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
          bytes.slice(i * size, (i + 1) * size),
        );
        const told: string[] = [];
        const send = wrapFetch({
          toolCalls: "stream",
          logger: { warn: (line) => void told.push(line) },
          fetch: async () => new Response(ReadableStream.from(pieces), { headers }),
        });
        const response = await send(address, post(format));
        expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
        expect(told).toEqual([]);
      }
    }
  });

  const damage = [undefined, ...(identities[format] ?? [])];
  test.runIf(identities[format]).each(damage)(
    "shows half of the arguments while the server waits with the rest, with the fault %s",
    async (fault) => {
      const { bytes, headers } = await bytesOf(format, { ...long, faults: fault === undefined ? [] : [fault] });
      const text = new TextDecoder().decode(bytes);
      const half = bytes.subarray(0, text.indexOf("\n\n", text.length / 2) + 2); // everything is ASCII
      let go: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => (go = resolve));
      const source = new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(half);
          await gate;
          controller.enqueue(bytes.slice(half.length));
          controller.close();
        },
      });
      const send = wrapFetch({ ...live, fetch: async () => new Response(source, { headers }) });
      const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = (
        await send(address, post(format))
      ).body?.getReader();
      let heard = "";
      const decoder = new TextDecoder();
      while (heard.length < half.length / 2) heard += decoder.decode((await reader?.read())?.value);
      go();
      for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read())
        heard += decoder.decode(piece.value);
      expect(heard.length).toBeGreaterThan((bytes.length * 3) / 4);
    },
  );
});

test("a call that is cut off ends in an error, behind what came of it", async () => {
  const { bytes, headers } = await bytesOf("openai-chat", long);
  const cut = bytes.slice(0, bytes.length / 2);
  const send = wrapFetch({ ...live, fetch: async () => new Response(cut, { headers }) });
  const response = await send("https://host.example/v1/chat/completions", post("openai-chat"));
  await expect(response.text()).rejects.toThrow("cut off in the middle of a tool call");
});
