import fc from "fast-check";
import { expect, test } from "vitest";
import { undangleModel, type ModelRepair } from "../../src/adapters/ai-sdk.ts";
import { finish, start } from "./model-turns.ts";

type Part = Readonly<Record<string, unknown>>;

const madeBySdk = "x8dkuSiXRKJitvVg";
const ids = fc.constantFrom<unknown>("c1", "c2", madeBySdk, "", " ", null, undefined, 7);
const names = fc.constantFrom<unknown>("search", "pay", " search<|x|>", "sea", "rch", "", undefined);
const inputs = fc.constantFrom<unknown>(
  "{}",
  '{"a":1}',
  '{"b":2}',
  '{"a":',
  '"{}"',
  "",
  "{a}",
  { a: 1 },
  null,
  undefined,
);

const parts = fc.oneof(
  fc.record({ type: fc.constant("tool-input-start"), id: ids, toolName: names }),
  fc.record({ type: fc.constant("tool-input-delta"), id: ids, delta: inputs }),
  fc.record({ type: fc.constant("tool-input-end"), id: ids }),
  fc.record({ type: fc.constant("tool-call"), toolCallId: ids, toolName: names, input: inputs }),
  fc.constant({ type: "tool-call", toolCallId: "p1", toolName: "search", input: "{}", providerExecuted: true }),
  fc.record({ type: fc.constantFrom("text-start", "text-delta", "text-end", "reasoning-delta"), id: ids }),
  fc.record({ type: fc.constantFrom("tool-result", "error", "raw", "no-such-part"), toolCallId: ids }),
  fc.constantFrom<unknown>(null, 7, "text", [], {}),
);
const ends = fc.constantFrom("stop", "tool-calls", "length", "error", "other", undefined);
const schema = { type: "object", properties: { a: {} } };
const tools = ["search", "pay"].map((name) => ({ type: "function", name, inputSchema: schema }));

async function pass(given: readonly unknown[]): Promise<{ passed: readonly Part[]; repairs: readonly ModelRepair[] }> {
  const repairs: ModelRepair[] = [];
  const middleware = undangleModel({ onRepair: (repair) => repairs.push(repair), logger: false });
  const stream: ReadableStream<unknown> = new ReadableStream({
    start(controller) {
      for (const part of given) controller.enqueue(part);
      controller.close();
    },
  });
  const result = await middleware.wrapStream({ doStream: async () => ({ stream }), params: { prompt: [], tools } });
  const passed: Part[] = [];
  for await (const part of result.stream) passed.push(part as Part); // most of them are parts
  return { passed, repairs };
}

const isOurs = (part: Part): boolean => part?.["type"] === "tool-call" && part["providerExecuted"] !== true;

/** All but calls, which wait for the end. */
const said = (all: readonly unknown[]): readonly unknown[] => all.filter((part) => !isOurs(part as Part)); // most of them are

test("whatever comes, calls pass once, under ids of their own, and none of a turn that is not whole", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(parts, { maxLength: 12 }), ends, async (middle, end) => {
      const given = [start, ...middle, ...(end === undefined ? [] : [finish(end)])];
      const { passed, repairs } = await pass(given);
      const calls = passed.filter(isOurs);
      const callIds = calls.map(({ toolCallId }) => toolCallId);
      expect(new Set(callIds).size).toBe(calls.length);
      expect(callIds.every((id) => typeof id === "string" && id.trim() !== "")).toBe(true);
      expect(calls.every(({ input }) => typeof input === "string")).toBe(true);
      const isBroken = middle.some((part) => (part as Part | null)?.["type"] === "error");
      const isWhole = (end === "stop" || end === "tool-calls") && !isBroken;
      expect(isWhole || calls.length === 0).toBe(true);
      const errors = passed.filter((part) => part?.["type"] === "error" && part["error"] instanceof Error);
      expect(errors).toHaveLength(repairs.filter(({ error }) => error !== undefined).length);
      const isUntouched = repairs.every(({ isChanged }) => !isChanged);
      expect(isUntouched ? said(passed) : given).toEqual(isUntouched ? said(given) : given);
    }),
    { numRuns: 2000 },
  );
});

test("calls that came out once pass as they are", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(parts, { maxLength: 12 }), async (middle) => {
      const { passed } = await pass([start, ...middle, finish("tool-calls")]);
      // Where the SDK made up an id, another call may be its original only because it got its own one here.
      fc.pre(!passed.some((part) => part?.["type"] === "error" || part?.["toolCallId"] === madeBySdk));
      expect((await pass(passed)).passed.filter(isOurs)).toEqual(passed.filter(isOurs));
    }),
    { numRuns: 2000 },
  );
});
