import { wrapFetch } from "undangle";
import type { WireRepair, WrapFetchOptions } from "undangle";
import { faultNames, wireServer } from "undangle/testing";
import type { FaultName, WireFormat, WireServer } from "undangle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bytesOf } from "../../src/testing/play/bytes.ts";
import { playTurn } from "../../src/testing/play/play-turn.ts";
import { completeTurn } from "../../src/testing/scripted-turn.ts";
import { begun, calls as entries, more, role } from "../clients/chat-chunks.ts";
import { answering, chunk, done, events } from "../clients/passed-through.ts";
import { sdks } from "../clients/sdks.ts";
import { turn } from "../clients/verdict.ts";

/** Clients stop reading at the mark of the end, or trip and leave: then nobody was told what was wrong. */
const urls = {
  "openai-chat": "https://host.example/v1/chat/completions",
  "openai-responses": "https://host.example/v1/responses",
  anthropic: "https://host.example/v1/messages",
  gemini: "https://host.example/v1beta/models/g:streamGenerateContent?alt=sse",
  ollama: "http://127.0.0.1:11434/api/chat",
} as const satisfies Partial<Record<WireFormat, string>>;
type Format = keyof typeof urls;
const formats = Object.keys(urls) as readonly Format[]; // as written above
const request = { model: "m", stream: true, max_tokens: 9, messages: [], input: "Hi.", contents: [] };
const calls = [1, 2].map((n) => ({ id: `call_${n}`, name: "find_book", arguments: { n, a: "b" } }));
const script = completeTurn({ text: "Let me look.", calls }, 1, "m");
const others = [
  completeTurn({ calls: [{ name: "find_book" }, { name: "open_file", arguments: { a: {} } }] }, 1, "m"),
  completeTurn({ text: "Hi.", reasoning: "Hm." }, 1, "m"),
  completeTurn({ text: "Let me", finish: "length" }, 1, "m"),
];
const played = (format: Format, ...names: readonly FaultName[]): readonly Uint8Array[] =>
  bytesOf(playTurn(script, format, names));
const encoded = (...given: readonly (object | string)[]): readonly Uint8Array[] =>
  given.map((each) => new TextEncoder().encode(events(each)));

interface Left extends Pick<WrapFetchOptions, "mode" | "toolCalls"> {
  readonly format: Format;
  /** How a reader leaves a body of which no more comes, or how that ends. */
  readonly by: "cancel" | "abort" | "silence" | "end";
  /** How many answers were asked for. */
  readonly n?: number;
}

/** What is told of an answer of which these pieces have come. */
async function toldOf(
  pieces: readonly Uint8Array[],
  { format, by, n = 1, ...options }: Left,
): Promise<readonly WireRepair[]> {
  const told: WireRepair[] = [];
  const rest = [...pieces];
  const source = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = rest.shift();
        if (piece !== undefined) controller.enqueue(piece.slice());
        else source.resolve(controller);
        return piece === undefined ? new Promise(() => undefined) : undefined;
      },
    },
    { highWaterMark: 0 },
  );
  const type = format === "ollama" ? "application/x-ndjson" : "text/event-stream";
  const fetch = wrapFetch({
    ...options,
    logger: false,
    onRepair: (repair) => void (repair.side === "response" && told.push(repair)),
    fetch: answering(body, type),
  });
  const response = await fetch(urls[format], { method: "POST", body: JSON.stringify({ ...request, n }) });
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  const read = async (): Promise<void> => {
    while ((await reader?.read())?.done === false);
  };
  const reading = read().catch(() => undefined);
  const controller = await Promise.race([source.promise, reading]); // undefined: it has ended in an error
  if (by === "cancel") await reader?.cancel().catch(() => undefined);
  if (by === "abort") controller?.error(new DOMException("This operation was aborted", "AbortError"));
  if (by === "end") controller?.close();
  if (by !== "silence") await reading;
  return told;
}

describe.each(["repair", "warn"] as const)("with mode %s", (mode) => {
  describe.each(["hold", "stream"] as const)("and calls: %s", (toolCalls) => {
    test.each(formats)("a healthy stream may be left anywhere: %s", async (format) => {
      for (const pieces of [played(format), ...others.map((one) => bytesOf(playTurn(one, format, [])))])
        for (const by of ["cancel", "abort"] as const) {
          for (let count = 0; count <= pieces.length; count += 1)
            expect(await toldOf(pieces.slice(0, count), { format, mode, toolCalls, by })).toEqual([]);
        }
    });

    test.each(formats)("what is told at the end is told where a stream is left behind its end: %s", async (format) => {
      for (const fault of faultNames(format).filter((name) => !isLeftOpen(name))) {
        const pieces = played(format, fault);
        const [left, ended] = [
          await toldOf(pieces, { format, mode, toolCalls, by: "cancel" }),
          await toldOf(pieces, { format, mode, toolCalls, by: "end" }),
        ];
        expect({ fault, told: left }).toEqual({ fault, told: ended });
      }
    });
  });
});

/** Who has left knows nothing of how it would have ended. */
const isLeftOpen = (fault: FaultName): boolean => fault === "cut" || fault === "cut-quietly";

const call = (id: string | null, given = '{"x"'): object => entries({ ...begun(0, "f", given), id });

describe("a stream that is left in the middle", () => {
  const damaged = encoded(role, call(null));

  test.each(["cancel", "abort"] as const)("is told of where it is damaged, by: %s", async (by) => {
    for (const mode of ["repair", "warn"] as const) {
      const told = await toldOf(damaged, { format: "openai-chat", mode, by });
      expect(told).toMatchObject([{ isChanged: false, anomalies: [{ kind: "id-missing" }] }]);
    }
  });

  test("is told of as changed where the client has got something else than what came", async () => {
    const parts = chunk({ content: [{ type: "text", text: "Hi" }] });
    const told = await toldOf(encoded(role, parts), { format: "openai-chat", by: "cancel" });
    expect(told).toMatchObject([{ isChanged: true }]);
    const live = await toldOf(damaged, { format: "openai-chat", toolCalls: "stream", by: "cancel" });
    expect(live).toMatchObject([{ isChanged: true }]);
  });

  test("is told of where arguments came again, over which a client has tripped", async () => {
    const again = entries(more(0, '{"x":1}'));
    const pieces = encoded(role, call("a", '{"x":1}'), again);
    const told = await toldOf(pieces, { format: "openai-chat", mode: "warn", by: "cancel" });
    expect(told.map(({ anomalies }) => anomalies?.map(({ kind }) => kind))).toEqual([["arguments-cumulative"]]);
  });

  test("is not told of where arguments only look as if they came again", async () => {
    const nested = entries(more(0, '{"x":1}')); // and }
    const pieces = encoded(role, call("a", '{"x":'), nested);
    for (const mode of ["repair", "warn"] as const)
      expect(await toldOf(pieces, { format: "openai-chat", mode, by: "cancel" })).toEqual([]);
  });

  test("is not told of where one of several choices has not ended", async () => {
    const other = chunk({ role: "assistant", content: "b" }, null, { index: 1 });
    const pieces = encoded(role, other, chunk({}, "stop"));
    for (const mode of ["repair", "warn"] as const)
      expect(await toldOf(pieces, { format: "openai-chat", mode, by: "cancel", n: 2 })).toEqual([]);
  });
});

describe("behind the end", () => {
  test("of a turn that the provider gives up, calls that are withheld are told of", async () => {
    const body = encoded(role, call("a"), chunk({}, "error"), done);
    for (const mode of ["repair", "warn"] as const)
      expect(await toldOf(body, { format: "openai-chat", mode, by: "cancel" })).toMatchObject([
        { isChanged: mode === "repair", anomalies: [{ kind: "stream-error" }, { kind: "arguments-truncated" }] },
      ]);
  });

  test("a turn that was cut off is told of where the mark of the end came all the same", async () => {
    const pieces = [...played("openai-responses").slice(0, 8), ...encoded(done)];
    for (const mode of ["repair", "warn"] as const)
      expect(await toldOf(pieces, { format: "openai-responses", mode, by: "cancel" })).toHaveLength(1);
  });

  test("a client that says nothing and reads no more hides nothing", async () => {
    const lines = [{ tool_calls: [{ function: { name: "f", arguments: '{"x":1}' } }] }, { content: "" }].map(
      (message, i) => `${JSON.stringify({ model: "m", message: { role: "assistant", ...message }, done: i === 1 })}\n`,
    );
    for (const [format, pieces] of [
      ["openai-chat", played("openai-chat", "id-never")],
      ["ollama", encoded(...lines)],
    ] as const)
      expect(await toldOf(pieces, { format, mode: "warn", by: "silence" })).toHaveLength(1);
  });
});

describe("through SDKs", () => {
  let server: WireServer;
  let fault: FaultName;
  const common: ReadonlySet<FaultName> = new Set([
    "id-never",
    "id-number",
    "index-missing",
    "arguments-cumulative",
    "arguments-resent",
    "role-missing",
    "bom",
    "anthropic-ids-shared",
    "gemini-snake-case",
    "responses-no-done",
  ]);

  beforeAll(async () => {
    server = await wireServer({ strict: false, turns: () => ({ ...turn, faults: [fault] }) });
  });

  afterAll(() => server.close());

  test.each(sdks)("$name: warn tells what repair does", async ({ format, hear }) => {
    for (fault of faultNames(format).filter((name) => common.has(name))) {
      const told = { repair: 0, warn: 0 };
      for (const mode of ["repair", "warn"] as const) {
        const onRepair = ({ side }: WireRepair): void => void (side === "response" && told[mode]++);
        await hear(server.baseUrl(format), wrapFetch({ mode, logger: false, onRepair })).catch(() => undefined); // it may trip
      }
      await expect.poll(() => told.warn, { message: fault, interval: 1 }).toBe(told.repair);
    }
  });
});
