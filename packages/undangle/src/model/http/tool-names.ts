import { isRecord } from "#core";
import type { AssembledCall, AssembledTurn, JsonObject, StreamPart } from "#core";

import type { ToolDescription } from "../model.ts";

/** The names under which tools were offered, and their original names. */
export interface ToolNames {
  readonly offered: readonly string[];
  readonly part: (part: StreamPart) => StreamPart;
  readonly turn: (turn: AssembledTurn) => AssembledTurn;
}

/** Restores the original tool names in calls, if the provider required different names. */
export function toolNames(tools: readonly ToolDescription[], body: JsonObject): ToolNames {
  const offered = declared(body["tools"]);
  const own = new Map<string, string>();
  tools.forEach(({ name }, i) => {
    const written = offered[i];
    if (written !== undefined && written !== name) own.set(written, name);
  });
  if (own.size === 0) return { offered, part: (part) => part, turn: (turn) => turn };
  const calls = new Map<AssembledCall, AssembledCall>(); // a call is the same object in every part
  const call = (given: AssembledCall): AssembledCall => {
    const known = calls.get(given) ?? { ...given, name: own.get(given.name) ?? given.name };
    calls.set(given, known);
    return known;
  };
  const turn = (given: AssembledTurn): AssembledTurn => ({
    ...given,
    calls: given.calls.map(call),
    parts: given.parts.map((part) => (part.type === "call" ? { ...part, call: call(part.call) } : part)),
  });
  return {
    offered,
    turn,
    part(part) {
      if (part.type === "call-start") return { ...part, name: own.get(part.name) ?? part.name };
      if (part.type === "call-end") return { ...part, result: call(part.result) };
      return part.type === "finish" ? { ...part, turn: turn(part.turn) } : part;
    },
  };
}

/** The tool names of a body, in any format. */
function declared(tools: unknown): readonly string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    if (!isRecord(tool)) return [];
    if (Array.isArray(tool["functionDeclarations"])) return declared(tool["functionDeclarations"]);
    const { name } = isRecord(tool["function"]) ? tool["function"] : tool;
    return typeof name === "string" ? [name] : [];
  });
}
