import { isRecord } from "#core";
import type { Call, Entry, Journal, Policy, Profile, Source, Spot } from "#core";

import type { Request } from "../codec.ts";
import type { Origin } from "./chat-shape.ts";
import { modelOf } from "./model.ts";
import type { Model } from "./model.ts";
import { spellingOf } from "./part.ts";
import type { Spelling, Wire } from "./part.ts";

/** What reading one request needs at hand. */
export interface Context {
  readonly profile: Profile;
  readonly policy: Policy;
  readonly journal: Journal;
  readonly model: Model;
  /** The body around the contents; undefined for a bare array. */
  readonly body: Wire | undefined;
  /** How the request spells what we add to it. */
  readonly spelling: () => Spelling;
  /** Model entries that are written into the content of the one before them. */
  readonly joined: Set<Entry>;
  /** Calls that are given the sentinel for a missing signature. */
  readonly unsigned: Set<Call>;
  /** The original paths of parts from another format. */
  readonly origins: Map<Source, readonly Origin[]>;
}

export function createContext(
  { list, body, model }: Request,
  profile: Profile,
  policy: Policy,
  journal: Journal,
): Context {
  let spelling: Spelling | undefined;
  return {
    profile,
    policy,
    journal,
    model: modelOf(model),
    body,
    spelling: () => (spelling ??= spellingIn(list, body)),
    joined: new Set(),
    unsigned: new Set(),
    origins: new Map(),
  };
}

/** As the first call or response is spelled, else as the body is. */
function spellingIn(list: readonly unknown[], body: Wire | undefined): Spelling {
  for (const content of list) {
    const parts = isRecord(content) ? content["parts"] : undefined;
    if (!Array.isArray(parts)) continue;
    for (const part of parts) {
      const spelling = spellingOf(part);
      if (spelling !== undefined) return spelling;
    }
  }
  const isSnake = (key: string): boolean => body !== undefined && key in body;
  return ["system_instruction", "generation_config", "tool_config", "safety_settings"].some(isSnake)
    ? "snake"
    : "camel";
}

/** The place of a part in a content of the input, or of a field of it; one that is not a list of parts has only one. */
export function partAt(source: Source, place: number, { origins }: Pick<Context, "origins">, tail = ""): Spot {
  const adopted = origins.get(source);
  const suffix = adopted === undefined ? ownAt(source.wire, place, tail) : adoptedAt(adopted[place], tail);
  return { source, suffix, part: { place, tail } };
}

function ownAt(wire: unknown, place: number, tail: string): string {
  const parts = isRecord(wire) ? wire["parts"] : undefined;
  if (Array.isArray(parts)) return `.parts[${place}]${tail}`;
  return isRecord(parts) ? `.parts${tail}` : "";
}

/** Without a matching field in the other format, the path of the whole call or result is used. */
function adoptedAt(origin: Origin | undefined, tail: string): string {
  if (origin === undefined) return "";
  return origin.path + (origin.fields[tail.slice(tail.lastIndexOf(".") + 1)] ?? "");
}

/** The path of a part in the input, or of a field of it. */
export function pathAt(source: Source, place: number, context: Pick<Context, "origins">, tail = ""): string {
  return `contents[${source.index}]${partAt(source, place, context, tail).suffix}`;
}
