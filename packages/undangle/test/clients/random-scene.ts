import { faultNames } from "undangle/testing";
import type { FaultName, WireFormat } from "undangle/testing";
import { completeTurn } from "../../src/testing/scripted-turn.ts";
import type { Random } from "../judge/random.ts";
import { marked } from "./ear.ts";
import { toolNames } from "./program.ts";
import type { Scene } from "./waiting-server.ts";

/** What an answer is made for. */
export interface Cue {
  readonly format: WireFormat;
  /** The number of the answer. */
  readonly serial: number;
  /** The client tells of reasoning. */
  readonly hasReasoning: boolean;
}

/** An answer of any kind, with up to two faults. */
export function sceneFrom({ format, serial, hasReasoning }: Cue, random: Random): Omit<Scene, "ear" | "onBytes"> {
  const calls = Array.from({ length: random.chance(0.35) ? 0 : 1 + random.below(3) }, (_, i) => ({
    id: `call_${serial}_${i}`,
    name: toolNames[random.below(toolNames.length)] ?? "ping",
    arguments: argumentsFrom(random),
  }));
  const text = marked("t", serial * 10, random.below(5) + (calls.length === 0 ? 1 : 0));
  const reasoning = hasReasoning && random.chance(0.3) ? marked("r", serial * 10, 1 + random.below(3)) : "";
  const turn = completeTurn({ text, reasoning, calls }, serial, "demo");
  const faults = faultsFrom(format, random);
  const isError = faults.some((name) => name === "error-in-stream" || name === "error-text");
  const isOver = faults.some((name) => name.startsWith("cut") || name === "ollama-call-at-end"); // before the error comes
  const lingers = isError && !isOver && random.chance(0.5);
  const status = random.chance(0.03) ? random.pick([401, 429, 500, 529]) : undefined;
  return { turn, faults, lingers, random, ...(status !== undefined && { status }) };
}

function faultsFrom(format: WireFormat, random: Random): readonly FaultName[] {
  const names = faultNames(format);
  const count = random.chance(0.3) ? 0 : random.chance(0.7) ? 1 : 2;
  return Array.from({ length: count }, () => names[random.below(names.length)] ?? "crlf");
}

function argumentsFrom(random: Random): Readonly<Record<string, unknown>> {
  const values = ['a "b" \\ {', "ü\n\t中", 12, null, true, [1, { x: "}" }], {}, "z".repeat(random.below(300))] as const;
  const keys = ["path", "title", "n"].slice(random.below(4));
  return Object.fromEntries(keys.map((key) => [key, random.pick(values)]));
}
