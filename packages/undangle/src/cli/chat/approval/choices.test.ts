import { describe, expect, test } from "vitest";
import type { PendingCall } from "#engine";

import { english } from "../texts/english.ts";
import { choicesFor, scopeChoices } from "./choices.ts";
import { readArguments } from "./read-arguments.ts";

const call = (more: Partial<PendingCall> = {}): PendingCall => ({
  id: "call_1",
  name: "pay",
  arguments: {},
  digest: "d",
  decisions: ["approve", "reject", "edit", "respond"],
  always: ["thread", "agent"],
  ...more,
});
const keys = (one: PendingCall, ...others: readonly PendingCall[]): string =>
  choicesFor(one, [one, ...others], english.approval)
    .map(({ key }) => key)
    .join("");

describe("what is offered", () => {
  test.each([
    ["everything", call(), [], "areswl"],
    ["all at once, where several wait", call(), [call()], "areswARl"],
    ["what the rule allows", call({ decisions: ["approve", "reject"], always: [] }), [], "arl"],
    ["nothing for all that one of them forbids", call(), [call({ decisions: ["reject"] })], "areswRl"],
    ["no leave for ever without leave", call({ decisions: ["reject"] }), [], "rl"],
  ])("is %s", (_, one, others, expected) => {
    expect(keys(one, ...others)).toBe(expected);
  });

  test("is leave for ever where the call says that it can be given", () => {
    const scopes = (always: PendingCall["always"]): string =>
      scopeChoices(call({ always }), english.approval)
        .map(({ key }) => key)
        .join("");
    expect(scopes(["thread", "agent"])).toBe("tgsEsc");
    expect(scopes(["thread"])).toBe("tsEsc");
  });
});

describe("arguments that were written by hand", () => {
  test.each([
    ['{"a": 1}', { type: "arguments", arguments: { a: 1 } }],
    ["[1]", { type: "no-object" }],
    ["{\n  a: 1\n}", { type: "not-json", fault: "key", line: 2, column: 3 }],
    ["", { type: "not-json", fault: "empty", line: 1, column: 1 }],
  ])("%j", (text, expected) => {
    expect(readArguments(text)).toEqual(expected);
  });
});
