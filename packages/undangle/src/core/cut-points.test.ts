import { describe, expect, it } from "vitest";

import { applyCut, chooseCut, findCuts } from "./cut-points.ts";
import type { Outline, OutlinedMessage } from "./cut-points.ts";

/**
 * An outline of messages in short: `U` a user, `A` a turn, `S` a system message, `R1` the result of a call in message 1,
 * `RU1` the same with text of the user, `T` a turn that starts with thinking.
 */
function outline(short: string, pending?: number): Outline {
  const messages = short.split(" ").map((each, i): OutlinedMessage => {
    const role = each.startsWith("R") ? "result" : roles[each[0] ?? ""];
    if (role === undefined) throw new Error(each);
    const call = /\d+/u.exec(each)?.[0];
    const needs = call === undefined ? i : Number(call);
    return { role, isUser: each.includes("U"), needs, isThinking: each === "T" };
  });
  return { messages, pending };
}

const roles: Readonly<Record<string, OutlinedMessage["role"]>> = {
  U: "user",
  A: "assistant",
  T: "assistant",
  S: "system",
};

describe("Cuts of a history", () => {
  it.each<[string, string, readonly number[], readonly number[]]>([
    ["before users and turns", "U A U A", [2], [1, 3]],
    ["after the system messages", "S S U A U", [4], [3]],
    ["never between a call and its result", "U A R1 A U", [4], [1, 3]],
    ["never between interleaved calls and results", "U A A R1 R2 R1 A U", [7], [1, 6]],
    ["never while a result of before the cut follows", "U A U A R1 U", [5], [1]],
    ["never before a user with results", "U A RU1 A U", [4], [1, 3]],
    ["never inside a turn of several messages", "U A A S A U", [5], [1]],
    ["never inside a loop that only begins with thinking", "U A R1 U T R4 A R6", [3], [1, 4]],
    ["before a later turn with thinking", "U T R1 T R3", [], [1, 3]],
    ["never inside an earlier loop with thinking", "U T R1 A U A", [4], [1, 5]],
    ["before turns that precede all thinking", "U A R1 A R3 T R5 A", [], [1, 3, 5]],
    ["not in a history of system messages", "S S", [], []],
  ])("are %s", (_, short, users, turns) => {
    expect(findCuts(outline(short))).toMatchObject({ users, turns });
  });

  it("are never after a pending call", () => {
    expect(findCuts(outline("U A U A", 1))).toMatchObject({ users: [], turns: [1] });
  });
});

describe("The chosen cut", () => {
  const ones = (short: string): number[] => short.split(" ").map(() => 1);
  const keptOf = (short: string, keep: number, sizes = ones(short)): string => {
    const cut = chooseCut(outline(short), sizes, keep);
    return cut === undefined ? "all" : applyCut(short.split(" "), cut).kept.join(" ");
  };

  it.each<[string, string, number, string]>([
    ["removes nothing that fits", "S U A U A", 4, "all"],
    ["keeps as much as fits, and the head", "S U A U A U A", 4, "S U A U A"],
    ["keeps the last message of a user with the last steps", "U A U A R3 A R5 A R7", 5, "U A R5 A R7"],
    ["keeps a turn whole that is larger", "U A R1 R1 R1", 2, "all"],
    ["keeps the last turn whole that is larger", "U A U A R3 R3 R3", 2, "U A R3 R3 R3"],
    ["keeps the last step whole", "U A R1 A R3 R3", 1, "U A R3 R3"],
    ["does not keep results of a user without their calls", "U A RU1 A R3 A R5", 2, "all"],
    ["removes nothing without a user", "A R0 A R2 A", 1, "all"],
  ])("%s", (_, short, keep, kept) => {
    expect(keptOf(short, keep)).toBe(kept);
  });

  it("goes by sizes", () => {
    expect(keptOf("S U A U A U A", 30, [500, 10, 20, 10, 5, 5, 10])).toBe("S U A U A");
  });
});
