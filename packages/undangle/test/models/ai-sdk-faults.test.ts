import { check } from "#codecs";
import { faultNames, faults } from "#testing";
import { describe, expect, test } from "vitest";
import { aiSdkFamilies, modelOf } from "./ai-sdk-families.ts";
import { faultyTalk, saidCalls } from "./faulty-talk.ts";

/** What a package loses before we get to see it: the model hears that the calls were cut off, or nothing is left of them. */
const lost: readonly string[] = [
  "6, openai-compatible: index-zero",
  "6, openai-compatible: index-missing",
  "6, openai-compatible: index-null",
  "6, openai chat: index-zero",
  "6, google: gemini-snake-case",
  "7, google: gemini-snake-case",
];

describe.each(aiSdkFamilies)("an agent with a model of the AI SDK $name", (family) => {
  test.each(faultNames(family.format))(
    "lives through %s, and runs nothing that the model did not say",
    async (fault) => {
      const { ran, status, text, history, refused } = await faultyTalk(
        { ...family, make: (url) => modelOf(family, url) },
        fault,
      );
      expect(refused).toEqual([]);
      expect(status).toBe("done");
      expect(check(history, { format: "openai-chat" })).toEqual([]);
      const { outcome } = faults[fault];
      const isRepeated = outcome === "error" || fault === "cut" || fault === "cut-quietly";
      const isRun = (outcome === "same" || isRepeated) && !lost.includes(`${family.name}: ${fault}`);
      expect(ran).toEqual(isRun ? saidCalls : []);
      expect(text).toMatch(isRun ? /^Done\.$/u : /^/u);
    },
  );
});
