import fc from "fast-check";
import type { ModelPart, ModelRequest, ModelStream } from "#model";
import { describe, expect, test } from "vitest";

import { scriptedModel } from "./scripted-model.ts";
import type { ScriptedTurn } from "./scripted-turn.ts";

const request = (knownIds: readonly string[]): ModelRequest => ({
  system: [],
  messages: [],
  tools: ["weather", "search_web", "pay"].map((name) => ({ name, description: undefined, schema: {} })),
  knownIds,
  language: "en",
  signal: new AbortController().signal,
});

/** The parts of a stream. A preview is replaced by its current value. */
async function heard(stream: ModelStream): Promise<readonly unknown[]> {
  const parts: unknown[] = [];
  for await (const part of stream) parts.push(shown(part));
  return parts;
}

const shown = (part: ModelPart): unknown =>
  part.type === "call-delta" ? { ...part, preview: structuredClone(part.preview()) } : part;

describe("a turn without faults", () => {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 40 }), fc.string({ maxLength: 40 }));
  const name = fc.oneof(fc.constantFrom("weather", "search_web", "pay", "unknown-tool"), fc.string({ maxLength: 8 }));
  const scriptedCall = fc.record(
    {
      name,
      id: fc.oneof(fc.constantFrom("a", "b", "c", "", " ", "null"), fc.string({ maxLength: 6 })),
      arguments: fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 })),
      raw: fc.constantFrom("", "{}", '{"a":1}', '{"a":', "nonsense", "null", '"{}"'),
    },
    { requiredKeys: ["name"] },
  );
  const turn = fc.record(
    {
      text,
      reasoning: text,
      calls: fc.array(scriptedCall, { maxLength: 3 }),
      finish: fc.constantFrom("stop", "tool_calls", "length", "content_filter"),
      usage: fc.constant({ total_tokens: 3 }),
    },
    { requiredKeys: [] },
  );
  const knownIds = fc.uniqueArray(fc.constantFrom("a", "b", "call_1_0"));

  /** Calls with valid names and unique ids, which the direct path supports. */
  const plainCall = fc.record(
    { name: fc.constantFrom("weather", "pay", "other"), arguments: fc.dictionary(text, fc.jsonValue({ maxDepth: 2 })) },
    { requiredKeys: ["name"] },
  );
  const plainTurn = fc.record(
    { text, reasoning: text, calls: fc.array(plainCall, { maxLength: 3 }), usage: fc.constant({ total_tokens: 3 }) },
    { requiredKeys: [] },
  );

  test.each([
    ["plain", plainTurn],
    ["odd", turn],
  ])("reads the same without bytes as with them, when it is %s", async (_, turns) => {
    await fc.assert(
      fc.asyncProperty(turns, knownIds, async (scripted: ScriptedTurn, ids) => {
        const [direct, played] = [true, false].map((way) => scriptedModel([scripted, scripted], { direct: way }));
        if (direct === undefined || played === undefined) throw new Error("There are two.");
        const asked = request(ids);
        expect(await heard(direct.stream(asked))).toStrictEqual(await heard(played.stream(asked)));
        expect(await direct.stream(asked).turn()).toStrictEqual(await played.stream(asked).turn());
      }),
    );
  });
});
