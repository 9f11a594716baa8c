import { isDeepStrictEqual } from "node:util";
import { check } from "undangle";
import { faultNames, faults } from "undangle/testing";
import { describe, expect, test } from "vitest";
import { families } from "./families.ts";
import { faultyTalk, saidCalls } from "./faulty-talk.ts";

const isSaid = (call: unknown): boolean => saidCalls.some((each) => isDeepStrictEqual(each, call));

describe.each(families)("an agent with a model of $name", (family) => {
  const names = faultNames().filter((name) => faults[name].formats.includes(family.format));

  test("has faults to live through", () => {
    expect(names.length).toBeGreaterThan(8);
  });

  test.each(names)("lives through %s, and runs nothing that the model did not say", async (fault) => {
    const { ran, events, status, text, history, refused } = await faultyTalk({ ...family, seal: "c2VhbGVk" }, fault);
    expect(refused).toEqual([]);
    expect(status).toBe("done");
    expect(check(history, { format: "openai-chat" })).toEqual([]);
    const { outcome } = faults[fault];
    // Arguments that are cut off by a limit would be cut off again: the model is told, and nothing is asked twice.
    const isTold = ["length-as-tool-calls", "arguments-unclosed"].includes(fault);
    const isAgain = (outcome === "incomplete" || outcome === "error") && !isTold;
    const isRight = outcome === "same" || isAgain;
    expect(isRight ? ran : ran.filter((call) => !isSaid(call))).toEqual(isRight ? saidCalls : []);
    expect(isRight ? text : "Done.").toBe("Done.");
    expect(events.filter((type) => type === "tool_call_end")).toHaveLength(outcome === "leaked" ? 0 : 2);
    expect(events.includes("model_discarded")).toBe(isAgain);
  });
});
