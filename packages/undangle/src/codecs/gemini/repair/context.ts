import { isRecord } from "#core";
import type { Call, Entry, Journal, JsonObject, Policy, Profile, Source, Spot } from "#core";

import type { Request } from "../../codec.ts";
import type { Origin } from "./chat-shape.ts";
import { modelOf } from "../model.ts";
import type { Model } from "../model.ts";
import { spellingOf } from "../part.ts";
import type { Spelling } from "../part.ts";

/** The context for reading one request. */
export interface Context {
  readonly profile: Profile;
  readonly policy: Policy;
  readonly journal: Journal;
  readonly model: Model;
  /** The body around the contents; undefined for a bare array. */
  readonly body: JsonObject | undefined;
  /** The key spelling of the request, used for added parts. */
  readonly spelling: () => Spelling;
  /** Model entries that are written into the previous content. */
  readonly joined: Set<Entry>;
  /** Calls that get the sentinel for a missing signature. */
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

/** The spelling of the first call or response, otherwise of the body. */
function spellingIn(list: readonly unknown[], body: JsonObject | undefined): Spelling {
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

/**
 * The position of a part, or of its field, in a content of the input. A content without a list of parts has only one.
 */
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

/** The path of a part, or of its field, in the input. */
export function pathAt(source: Source, place: number, context: Pick<Context, "origins">, tail = ""): string {
  return `contents[${source.index}]${partAt(source, place, context, tail).suffix}`;
}
