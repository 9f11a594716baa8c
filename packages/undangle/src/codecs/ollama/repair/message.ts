import type { Journal, JsonObject, Policy, Source, Spot } from "#core";

import type { Outlook } from "../../spans.ts";

/** A message of the wire: an object with unchecked fields. */
export type Message = JsonObject;

/** The context for reading one request. */
export interface Context {
  readonly policy: Policy;
  readonly journal: Journal;
  /** Looks up the role of the next message. */
  readonly outlook: Outlook;
  /** The original paths of converted parts: calls by position, a result by -1. */
  readonly origins: Map<Source, ReadonlyMap<number, string>>;
}

/** The position of a call in a message of the input. */
export function callAt(source: Source, place: number, { origins }: Context, tail = ""): Spot {
  const path = origins.get(source)?.get(place);
  const isArguments = tail === ".function.arguments";
  const suffix = path === undefined ? `.tool_calls[${place}]${tail}` : path + (isArguments ? ".input" : tail);
  return { source, suffix, part: { place, tail } };
}

/** The tool name of a result: `tool_name`, or `name` in older clients. "" if there is none. */
export function nameOfResult({ tool_name, name }: Message): string {
  return typeof tool_name === "string" ? tool_name : typeof name === "string" ? name : "";
}
