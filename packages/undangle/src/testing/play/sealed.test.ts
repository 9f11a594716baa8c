import { assemble } from "#codecs";
import type { TurnPart } from "#core";
import { expect, test } from "vitest";

import type { WireFormat } from "../faults/fault.ts";
import { completeTurn } from "../scripted-turn.ts";
import { players } from "./players.ts";

const signed = (owner: string) => [
  { type: "reasoning", text: "Hm.", seal: { owner, value: "c2VhbA" } },
  { type: "text", text: "Yes." },
];

test.each<[WireFormat, readonly unknown[]]>([
  ["anthropic", signed("anthropic")],
  ["bedrock", signed("anthropic")],
  [
    "openai-responses",
    [
      { type: "reasoning", text: "Hm.", seal: { owner: "openai", value: "c2VhbA", id: "rs_1" } },
      { type: "text", text: "Yes.", seal: { owner: "openai", value: "", id: "msg_1" } },
    ],
  ],
  [
    "gemini",
    [
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "Yes." },
    ],
  ],
  [
    "openai-chat",
    [
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "Yes." },
    ],
  ],
])("a turn of %s is sealed alike as a stream and as a whole", async (format, parts) => {
  const turn = completeTurn(
    { reasoning: "Hm.", seal: "c2VhbA", text: "Yes.", calls: [{ name: "look", arguments: { q: 1 } }] },
    1,
    "any",
  );
  const { stream, body } = players[format];
  const streamed = stream(turn).frames.map(({ event = "", data }) => (format === "bedrock" ? { [event]: data } : data));
  const read = async (frames: readonly unknown[]): Promise<readonly TurnPart[]> => {
    async function* source() {
      yield* frames;
    }
    return (await assemble(source(), { format }).turn()).parts;
  };
  expect((await read(streamed)).slice(0, -1)).toEqual(parts);
  expect(await read([body(turn)])).toEqual(await read(streamed));
});
