import { emptyTurn } from "#core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { spokenThoughts } from "./spoken-thoughts.ts";

/** What is heard of a text that comes in pieces, and what the whole answer says. */
function heard(...pieces: readonly string[]) {
  const thoughts = spokenThoughts();
  const text = pieces.join("");
  const parts = pieces.map((piece) => ({ type: "text-delta", choice: 0, text: piece }) as const);
  const turn = { ...emptyTurn, text, parts: [{ type: "text", text } as const] };
  const told = [...parts, { type: "finish", choice: 0, turn } as const].flatMap((part) => thoughts.part(part));
  const said = (type: string) => told.map((part) => (part.type === type && "text" in part ? part.text : "")).join("");
  const whole = thoughts.turn(turn);
  return { told: [said("reasoning-delta"), said("text-delta")], whole: [whole.reasoning, whole.text], turn: whole };
}

describe("thoughts inside of a text", () => {
  test.each<[string, readonly string[], readonly [thought: string, said: string]]>([
    ["at its beginning", ["<think>hm</think>\n\nHello."], ["hm", "Hello."]],
    ["in pieces", ["<th", "ink>h", "m</th", "ink>", "\n\nHe", "llo."], ["hm", "Hello."]],
    ["behind white space", ["\n", "<think>\nhm\n</think>Hello."], ["\nhm\n", "Hello."]],
    ["of MiniMax M3", ["<mm:think>hm</mm:think>Hello."], ["hm", "Hello."]],
    ["that do not end", ["<think>hm, ", "a </thi"], ["hm, a </thi", ""]],
    ["that are empty", ["<think>\n\n</think>\n\nHello."], ["\n\n", "Hello."]],
    ["further on are text", ["Hello <think>hm</think>."], ["", "Hello <think>hm</think>."]],
    ["with other tags are text", ["<thing>hm</thing>"], ["", "<thing>hm</thing>"]],
    ["that have only begun are text", ["<thin"], ["", "<thin"]],
    ["with a tag of their own", ["<think>a <b> c</think>Hello."], ["a <b> c", "Hello."]],
    ["are told once", ["<think>a</think>b</think>c"], ["a", "b</think>c"]],
  ])("%s", (_name, pieces, expected) => {
    const { told, whole } = heard(...pieces);
    expect([told, whole]).toEqual([expected, expected]);
  });

  test("stand as a part of their own before what is said", () => {
    expect(heard("<think>hm</think> Hello.").turn.parts).toEqual([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "Hello." },
    ]);
  });

  test("are the same however the text is cut, and nothing is lost but tags and white space", () => {
    const piece = fc.constantFrom("<think>", "</think>", "<mm:think>", "<th", "ink>", "</", "a", " ", "\n", "<");
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const { told, whole } = heard(...pieces);
        expect(told).toEqual(whole);
        const bare = (text: string): string => text.replaceAll(/<\/?(?:mm:)?think>|\s/gu, "");
        expect(bare(told.join(""))).toBe(bare(pieces.join("")));
      }),
    );
  });
});
