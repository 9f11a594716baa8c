import fc from "fast-check";
import { wrapFetch } from "undangle";
import type { WireRepair } from "undangle";
import { faultNames, wireServer } from "undangle/testing";
import type { FaultName } from "undangle/testing";
import { describe, expect, test } from "vitest";

import { faultOf } from "../../src/testing/faults/faults.ts";
import { listOf, recordOf } from "../../src/testing/judge/loose.ts";
import { answering, events, passedThrough, ways } from "../clients/passed-through.ts";
import type { PassedThrough } from "../clients/passed-through.ts";

/** Without `alt=sse` Gemini streams one JSON list: it passed unmended, with calls that were damaged or cut off. */
const url = "https://host.example/v1beta/models/g:streamGenerateContent";
const contents = [{ role: "user", parts: [{ text: "Hi." }] }];
const asList = { url, request: { contents }, type: "application/json; charset=UTF-8" } as const;
const asEvents = { url: `${url}?alt=sse`, request: { contents } } as const;

const chunk = (parts: readonly object[], more: object = {}): object => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  modelVersion: "g",
  responseId: "r",
});
const text = (said: string): object => chunk([{ text: said }]);
const call = (id: string, args: unknown = { q: '}] "{' }): object =>
  chunk([{ functionCall: { id, name: `f_${id}`, args } }]);
const snake = (id: string): object => chunk([{ function_call: { id, name: `f_${id}`, args: { x: 1 } } }]);
const end = chunk([{ text: "" }], { finishReason: "STOP" });

/** A list as Google's servers write it. */
const list = (...given: readonly object[]): string =>
  `[${given.map((each) => JSON.stringify(each, null, 2)).join("\n,\r\n")}\n]\n`;
const compact = (...given: readonly object[]): string => JSON.stringify(given);

const valuesIn = (body: string): readonly unknown[] => JSON.parse(body) as readonly unknown[];
const callsIn = (body: string): readonly unknown[] =>
  valuesIn(body)
    .flatMap((value) => listOf(recordOf(value)["candidates"]))
    .flatMap((candidate) => listOf(recordOf(recordOf(candidate)["content"])["parts"]))
    .flatMap((part) => recordOf(part)["functionCall"] ?? []);

describe.each(ways)("passes as it came in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["text", list(text("Hé"), text("llo"), end)],
    ["text, in few bytes", compact(text("Hé"), text("llo"), end)],
    ["a call", list(text("Hé"), call("a"), end)],
    ["a call first, and text behind it", list(call("a"), text("Hé"), end)],
    ["calls alone", list(call("a"), call("b", {}), call("c"), end)],
    ["blanks around it", `\n ${list(text("Hé"), call("a"), end)}\n\n`],
    ["what nobody knows", list({ trace: "{[" }, text("Hé"), { trace: 1 }, call("a"), { trace: 2 }, end)],
    ["a prompt that is refused", list({ promptFeedback: { blockReason: "SAFETY" } })],
    ["an error", list({ error: { code: 429, message: "Too many", status: "RESOURCE_EXHAUSTED" } })],
    ["nothing", "[]"],
    ["a list of somebody else's", '[1, "a", null, [{"b": 2}], {"c": 3}]'],
    ["the beginning of one", '[{"a": 1}, {"b"'],
    ["no JSON", "[Mon 12:00] {all} is well\n"],
    ["one answer that is no list", JSON.stringify(chunk([{ text: "Hé" }], { finishReason: "STOP" }))],
  ])("%s", async (_, body) => {
    expect(await passedThrough({ ...asList, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });
});

/** A server that sends pieces one by one, each when it is asked for. */
function giving(pieces: readonly string[]) {
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = left.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(piece));
      },
    },
    { highWaterMark: 0 },
  );
  const fetch = wrapFetch({
    logger: false,
    fetch: answering(body, asList.type),
  });
  const opened = fetch(url, { method: "POST", body: JSON.stringify(asList.request) });
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return {
    left,
    next: async (): Promise<string> => {
      reader ??= ((await opened).body as ReadableStream<Uint8Array>).getReader();
      return new TextDecoder().decode((await reader.read()).value);
    },
  };
}

test("text passes at once, before anything comes behind it", async () => {
  const pieces = [`[${JSON.stringify(text("a"))}`, `\n,\r\n${JSON.stringify(end)}`, "\n]"];
  const { left, next } = giving(pieces);
  expect(await next()).toBe(pieces[0]);
  expect(left).toHaveLength(2);
  expect(await next()).toBe(pieces[1]);
  expect(left).toHaveLength(1);
  expect(await next()).toBe(pieces[2]);
});

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  const pass = (body: string): Promise<PassedThrough> => passedThrough({ ...asList, ...way, body });

  test("calls that no client reads are written anew, behind the text", async () => {
    const { text: got, error, told } = await pass(list(snake("a"), text("Hé"), snake("b"), text("llo"), end));
    expect(error).toBeUndefined();
    expect(valuesIn(got).slice(0, 2)).toEqual([text("Hé"), text("llo")]);
    expect(callsIn(got)).toEqual([
      { id: "a", name: "f_a", args: { x: 1 } },
      { id: "b", name: "f_b", args: { x: 1 } },
    ]);
    expect(told).toHaveLength(1);
  });

  test("what nobody knows is not lost where calls are written anew", async () => {
    const { text: got } = await pass(list(snake("a"), { trace: 1 }, text("Hé"), end));
    expect(valuesIn(got)).toContainEqual({ trace: 1 });
  });

  test.each([
    ["no commas", `[${JSON.stringify(text("Hé"))}\n${JSON.stringify(call("a"))}\n${JSON.stringify(end)}]`],
    ["a comma too many", `[,${JSON.stringify(text("Hé"))},,${JSON.stringify(call("a"))},${JSON.stringify(end)},]`],
    ["no end", list(text("Hé"), call("a"), end).trimEnd().slice(0, -1)],
    ["half an object at the end", list(text("Hé"), call("a"), end).replace(/\n\]\n$/u, ',\n{"usageMeta')],
    ["two lists", `${compact(text("Hé"), call("a"))}\n${compact(end)}`],
    ["an object that is no JSON", list(text("Hé"), call("a"), end).replace(",\r\n", ",\r\n{oops},")],
  ])("is mended: %s", async (_, body) => {
    const { text: got, error, told } = await pass(body);
    expect(error).toBeUndefined();
    expect(valuesIn(got)).toEqual([text("Hé"), call("a"), end]);
    expect(told).toHaveLength(1);
  });

  test.each([
    ["behind a call that no client reads", list(text("Hé"), snake("a"))],
    [
      "behind a call that goes on",
      list(text("Hé"), chunk([{ functionCall: { id: "a", name: "f", willContinue: true } }])),
    ],
    ["in a call", list(text("Hé"), call("a")).slice(0, -90)],
    ["by the limit of length", list(text("Hé"), snake("a"), chunk([{ text: "" }], { finishReason: "MAX_TOKENS" }))],
    ["behind text", list(text("Hé"))],
  ])("a list that was cut off ends in an error: %s", async (_, body) => {
    const { text: got, error } = await pass(body);
    expect(error).toContain("The response was cut off");
    expect(valuesIn(`${got}]`)).toEqual([text("Hé")]);
  });

  test("an error behind text ends the body in one", async () => {
    const failed = { error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } };
    const { text: got, error } = await pass(list(text("Hé"), snake("a"), failed));
    expect(error).toContain("Overloaded");
    expect(valuesIn(`${got}]`)).toEqual([text("Hé"), failed]);
  });

  test("no call passes behind an error", async () => {
    const { text: got, error } = await pass(list({ error: { message: "Overloaded" } }, call("a"), end));
    expect(error).toContain("Overloaded");
    expect(got).not.toContain("functionCall");
  });
});

test("with `warn` it passes as it is, and is told of", async () => {
  const told: WireRepair[] = [];
  const body = list(snake("a"), text("Hé"));
  const fetch = wrapFetch({
    logger: false,
    mode: "warn",
    onRepair: (repair) => void told.push(repair),
    fetch: answering(body, asList.type),
  });
  const response = await fetch(url, { method: "POST", body: JSON.stringify(asList.request) });
  expect(await response.text()).toBe(body);
  expect(told).toMatchObject([{ side: "response", isChanged: false }]);
});

test("whoever stops reading stops the server, and nothing is told", async () => {
  const told: WireRepair[] = [];
  let cancelled: unknown;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(`[${JSON.stringify(text("Hé"))}`)),
    cancel: (reason) => void (cancelled = reason),
  });
  const fetch = wrapFetch({
    logger: false,
    onRepair: (repair) => void told.push(repair),
    fetch: answering(body, asList.type),
  });
  const response = await fetch(url, { method: "POST", body: JSON.stringify(asList.request) });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  const next = reader.read();
  await reader.cancel("enough");
  expect(await next).toEqual({ done: true, value: undefined });
  expect([cancelled, told]).toEqual(["enough", []]);
});

/** What comes of a list is what comes of the same answer as events. */
const pool: readonly object[] = [
  text("Hé"),
  text("llo {["),
  chunk([{ text: "Hm", thought: true }]),
  call("a"),
  call("b", {}),
  call("b", { x: 1 }),
  snake("c"),
  chunk([{ functionCall: { name: "f", args: '{"x":1}' } }]),
  chunk([{ functionCall: { name: "f" } }]),
  chunk([{ functionCall: { args: { y: 2 } } }]),
  chunk([{ functionCall: { id: "p", name: "f", willContinue: true } }]),
  chunk([{ text: "a" }, { functionCall: { name: "g", args: {} } }, { text: "b" }]),
  { trace: 1 },
  { usageMetadata: { totalTokenCount: 3 } },
  end,
  chunk([{ functionCall: { name: "h", args: {} } }], { finishReason: "STOP" }),
  chunk([], { finishReason: "MAX_TOKENS" }),
  chunk([], { finishReason: "MALFORMED_FUNCTION_CALL" }),
  { error: { code: 503, message: "Overloaded" } },
];

const isError = (value: object): boolean => "error" in value || JSON.stringify(value).includes("MALFORMED");

/** What comes up to the first error, behind which nobody looks. */
const upToError = (given: readonly object[]): readonly object[] =>
  given.slice(0, given.findIndex(isError) + 1 || undefined);

test("what comes of a list is what comes of the same answer as events", async () => {
  const answers = fc.array(fc.constantFrom(...pool), { minLength: 1, maxLength: 7 });
  const isAnswer = (given: readonly object[]): boolean =>
    !("error" in (given.find((each) => !("trace" in each)) ?? {})); // that alone passes
  await fc.assert(
    fc.asyncProperty(
      answers.filter(isAnswer),
      fc.constantFrom(...ways),
      fc.constantFrom(list, compact),
      fc.boolean(),
      async (given, way, write, hasEnd) => {
        const all = upToError(hasEnd ? [...given, end] : given);
        const one = await passedThrough({ ...asList, ...way, body: write(...all) });
        const other = await passedThrough({ ...asEvents, ...way, body: events(...all) });
        expect(one.error).toBe(other.error);
        const values = one.error === undefined ? valuesIn(one.text) : valuesIn(`${one.text}]`);
        expect(events(...(values as readonly object[]))).toBe(other.text);
        expect(kindsOf(one)).toEqual(kindsOf(other));
      },
    ),
    { numRuns: 500 },
  );
});

const kindsOf = ({ told }: PassedThrough): readonly unknown[] =>
  told.map(({ anomalies = [], error }) => [anomalies.map(({ kind }) => kind), error]);

describe("the wire server", () => {
  type Called = {
    readonly name: string;
    readonly args?: unknown;
    readonly arguments?: Readonly<Record<string, unknown>>;
  };
  const calls: readonly Called[] = [{ name: "find", arguments: { q: "}{" } }, { name: "open" }];
  const said = { text: "Hello there. 你好。", calls };
  const named = ({ name, args, arguments: given }: Called): unknown => [name, args ?? given ?? {}];
  const post = { method: "POST", body: JSON.stringify({ contents }) };
  const path = "/v1beta/models/gemini-2.5-pro:streamGenerateContent";

  /** What a program gets that reads all of a body. */
  async function heard(faults: readonly FaultName[], send: typeof fetch): Promise<string> {
    const server = await wireServer({ strict: false, turns: () => ({ ...said, faults }) });
    try {
      return await (await send(server.url + path, post)).text();
    } finally {
      await server.close();
    }
  }

  test("streams a list, which passes as it came", async () => {
    const [bare, wrapped] = [await heard([], fetch), await heard([], wrapFetch({ logger: false }))];
    expect(wrapped).toBe(bare);
    expect(bare).toMatch(/^\[\{\n[^]*\n\}\n,\r\n\{[^]*\n\}\n\]\n$/u);
  });

  test.each(faultNames("gemini"))("of a list that is damaged nothing is run that was not meant: %s", async (name) => {
    const got = await heard([name], wrapFetch({ logger: false })).catch(() => undefined);
    if (got === undefined || !got.startsWith("[")) return; // an error, or one answer that is no list
    expect(callsIn(got)).toHaveLength(faultOf(name).outcome === "same" ? said.calls.length : 0);
    for (const each of callsIn(got)) expect(said.calls.map(named)).toContainEqual(named(each as Called));
  });
});
