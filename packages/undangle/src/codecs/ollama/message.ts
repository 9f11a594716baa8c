import type { Journal, Policy, Source, Spot } from "#core";

/** A message as it comes over the wire: an object, and nothing else is certain. */
export type Message = Readonly<Record<string, unknown>>;

/** What reading one request needs at hand. */
export interface Context {
  readonly policy: Policy;
  readonly journal: Journal;
}

/** The place of a call in a message of the input. */
export const callAt = (source: Source, place: number, tail = ""): Spot => ({
  source,
  suffix: `.tool_calls[${place}]${tail}`,
  part: { place, tail },
});

/** The name on a result: `tool_name`, or `name` as older clients have it; "" for none. */
export function nameOfResult({ tool_name, name }: Message): string {
  return typeof tool_name === "string" ? tool_name : typeof name === "string" ? name : "";
}
