import { formats } from "#codecs";
import { createAgent } from "#engine";
import { scriptedModel } from "#testing";
import fc from "fast-check";
import { check, convert, repair } from "undangle";
import { describe, expect, test } from "vitest";

import { generate, lostTexts, textsOf } from "../judge/generate.ts";
import { mutate } from "../judge/mutate.ts";
import { formats as judged } from "../judge/subjects.ts";
import { anyStory, triplesOf } from "./story.ts";
import type { Story } from "./story.ts";
import { sentTriples, shown, triplesIn } from "./triples-in.ts";
import { pairFormats, writeStory } from "./write-story.ts";
import type { PairFormat } from "./write-story.ts";

const timeout = 120_000;

const formatOf = (format: PairFormat): Exclude<PairFormat, "ui-messages"> =>
  format === "ui-messages" ? "ai-sdk" : format;

function forStories(format: PairFormat, holds: (story: Story, history: readonly unknown[]) => Promise<void> | void) {
  return fc.assert(
    fc.asyncProperty(anyStory, async (story) => {
      const history = writeStory(story, format);
      expect(shown(triplesIn(history, format))).toEqual(shown(triplesOf(story)));
      await holds(story, history);
    }),
  );
}

describe.each(pairFormats)("a history of %s keeps the result of every call", (from) => {
  test.each(formats)("in %s", { timeout }, async (to) => {
    await forStories(from, (story, history) => {
      const { output } = convert(history, { from: formatOf(from), to });
      expect(check(output, { format: to })).toEqual([]);
      const shape = from === "ui-messages" && to === "ai-sdk" ? from : to;
      expect(shown(triplesIn(output, shape))).toEqual(shown(triplesOf(story)));
    });
  });

  test("in a thread that imports it, its exports, and what the model is sent", { timeout }, async () => {
    await forStories(from, async (story, history) => {
      const model = scriptedModel([{ text: "Yes." }]);
      const thread = createAgent({ model }).thread("t");
      const { edits } = await thread.import(history, { format: formatOf(from) });
      const isHealthy = check(history, { format: formatOf(from) }).length === 0;
      expect(isHealthy && edits.length > 0).toBe(false);
      const expected = shown(triplesOf(story));
      for (const to of formats) expect(shown(triplesIn(await thread.export(to), to))).toEqual(expected);
      await thread.send("And?").result;
      expect(shown(sentTriples(model.requests[0]?.messages ?? []))).toEqual(expected);
    });
  });
});

test.each(judged)(
  "a thread that imports a damaged history of %s loses nothing that its repair keeps",
  { timeout },
  async (from) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(fc.nat(), { maxLength: 4 }), async (seed, damage) => {
        const input = damage.reduce((body: unknown, each) => mutate(body, from, each), generate(from, seed, 3));
        const { output, problems } = repair(input, { format: from });
        const said = textsOf(output, from).filter((text) => !text.startsWith("Tool call "));
        fc.pre(problems.length === 0 && said.some((text) => text !== "")); // an import of nothing is refused
        const thread = createAgent({ model: scriptedModel([]) }).thread("t");
        await thread.import(input, { format: from });
        expect(lostTexts(said, await thread.export("anthropic"))).toEqual([]);
      }),
    );
  },
);
