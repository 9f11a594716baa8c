import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codecs } from "../src/codecs/formats.ts";
import { mend } from "../src/codecs/mend.ts";
import type { Mended } from "../src/codecs/mend.ts";
import type { Policy } from "../src/core/dialect.ts";
import { generate, messagesOf } from "./judge/generate.ts";
import { distort } from "./judge/mutate.ts";
import { formats } from "./judge/subjects.ts";

const policy: Policy = {
  orphans: "restore",
  duplicates: "merge",
  danglingAtEnd: "answer",
  answersPending: false,
  language: "en",
  notice: ({ id, cause }) => ({ text: `${id} ${cause}` }),
  hasOwnNotice: false,
  keepsMedia: false,
};

/** Long conversations with little damage: most of a history is passed over. */
const cases = fc.record({
  format: fc.constantFrom(...formats),
  seed: fc.nat(),
  size: fc.integer({ min: 1, max: 12 }),
  damage: fc.array(fc.nat(), { maxLength: 3 }),
  provider: fc.constantFrom(undefined, ...codecs["openai-chat"].providers),
  upstream: fc.constantFrom(undefined, "anthropic/claude-opus-4.7", "google/gemini-2.5-pro", "mistralai/mistral-large"),
});

function requestOf({ format, seed, size, damage, provider, upstream }: ReturnType<typeof cases.generate>["value"]) {
  const body = damage.reduce((each: unknown, one) => distort(each, format, one), generate(format, seed, size));
  const { model } = body as { model?: string };
  return {
    codec: codecs[format],
    request: {
      list: messagesOf(body, format),
      body: body as Record<string, unknown>,
      provider: format === "openai-chat" ? provider : undefined,
      model: provider === "openrouter" || format === "ai-sdk" ? (upstream ?? model) : model,
    },
  };
}

/** What a caller sees of it. */
const outcome = ({ list, body, edits, problems }: Mended) => ({ list, body, edits, problems: problems() });

describe("the first look", () => {
  test("changes nothing: what it passes over, the rules would have left as it is", { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { codec, request } = requestOf(given);
        const survey = () => ({ suspects: [{ start: 0, end: request.list.length, isOpen: false }], ids: undefined });
        const thorough = mend({ ...codec, survey }, request, policy);
        expect(outcome(mend(codec, request, policy))).toEqual(outcome(thorough));
      }),
    );
  });
});
