import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wholeList } from "../src/codecs/codec.ts";
import { codecs } from "../src/codecs/formats.ts";
import { mend } from "../src/codecs/mend.ts";
import type { Mended } from "../src/codecs/mend.ts";
import type { Policy } from "../src/core/dialect.ts";
import { generate, messagesOf } from "./judge/generate.ts";
import { distort } from "./judge/mutate.ts";
import { formats } from "./judge/subjects.ts";

const defaults: Omit<Policy, "orphans" | "duplicates" | "danglingAtEnd"> = {
  answersPending: false,
  language: "en",
  notice: ({ id, cause }) => ({ text: `${id} ${cause}` }),
  hasOwnNotice: false,
  keepsMedia: false,
};

/** Long conversations with little damage: most of a history is not read. */
const cases = fc.record({
  format: fc.constantFrom(...formats),
  seed: fc.nat(),
  size: fc.integer({ min: 1, max: 12 }),
  damage: fc.array(fc.nat(), { maxLength: 3 }),
  shift: fc.constantFrom(undefined, "lost", "moved", "copied" as const),
  places: fc.tuple(fc.nat(), fc.nat()),
  provider: fc.constantFrom(undefined, ...codecs["openai-chat"].providers),
  upstream: fc.constantFrom(undefined, "anthropic/claude-opus-4.7", "google/gemini-2.5-pro", "mistralai/mistral-large"),
  policy: fc.record({
    orphans: fc.constantFrom("restore", "quote", "drop" as const),
    duplicates: fc.constantFrom("merge", "last" as const),
    danglingAtEnd: fc.constantFrom("answer", "leave" as const),
  }),
});

type Case = ReturnType<typeof cases.generate>["value"];

function requestOf(given: Case) {
  const { format, seed, size, damage, provider, upstream } = given;
  const body = damage.reduce((each: unknown, one) => distort(each, format, one), generate(format, seed, size));
  const { model } = body as { model?: string };
  return {
    codec: codecs[format],
    request: {
      list: shifted(messagesOf(body, format), given),
      body: body as Record<string, unknown>,
      provider: format === "openai-chat" ? provider : undefined,
      model: provider === "openrouter" || format === "ai-sdk" ? (upstream ?? model) : model,
    },
  };
}

/** The list after one of its messages was lost, moved or copied. */
function shifted(list: readonly unknown[], { shift, places: [from, to] }: Case): readonly unknown[] {
  if (shift === undefined || list.length < 2) return list; // an empty list has a rule of its own
  const at = from % list.length;
  const rest = shift === "copied" ? list : list.toSpliced(at, 1);
  return shift === "lost" ? rest : rest.toSpliced(to % (rest.length + 1), 0, list[at]);
}

/** What a caller sees of it. */
const outcome = ({ list, body, edits, problems }: Mended) => ({ list, body, edits, problems: problems() });

describe("the survey", () => {
  test("changes nothing: a repair of the suspects equals a repair of the whole history", { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { codec, request } = requestOf(given);
        const policy = { ...defaults, ...given.policy };
        const survey = () => wholeList(request.list);
        const thorough = mend({ ...codec, survey }, request, policy);
        expect(outcome(mend(codec, request, policy))).toEqual(outcome(thorough));
      }),
      process.env["FUZZ"] ? {} : { numRuns: 400 },
    );
  });
});
