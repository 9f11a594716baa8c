import { isRecord } from "#core";
import type { Journal, Policy, Source, Spot } from "#core";

import type { Request } from "../codec.ts";
import { contentKey } from "../gemini/message-of-parts.ts";
import { createOutlook, meantRoleOf } from "../spans.ts";
import type { Outlook } from "../spans.ts";
import { modelOf } from "./model.ts";
import type { Model } from "./model.ts";
import type { AnthropicProfile } from "./profile.ts";
import { continuesThread } from "./thread.ts";

/** A message or block of the wire: an object with unchecked fields. */
export type Wire = Readonly<Record<string, unknown>>;

/** What reading one request needs at hand. */
export interface Context {
  readonly profile: AnthropicProfile;
  readonly policy: Policy;
  readonly journal: Journal;
  readonly model: Model;
  /** The body around the messages; undefined for a bare array. */
  readonly body: Wire | undefined;
  /** `off` also if the body does not contain it; undefined for a bare array. */
  readonly thinking: "enabled" | "adaptive" | "off" | undefined;
  /** The server holds what came before the messages, and the tools and the system text with it. */
  readonly continues: boolean;
  /** The next role from a message on. */
  readonly outlook: Outlook;
  /** Empty user messages beside others: the API merges them away, and so does a repair that has something to do. */
  readonly skipped: Source[];
  /** The names that the results in messages of other formats had, by the places of their blocks. */
  readonly names: Map<Source, readonly (string | undefined)[]>;
}

export function createContext(
  { list, body, model }: Request,
  profile: AnthropicProfile,
  policy: Policy,
  journal: Journal,
): Context {
  const thinking = body?.["thinking"];
  const type = typeof thinking === "object" && thinking !== null && "type" in thinking ? thinking.type : undefined;
  const known = modelOf(model);
  const byDefault = thinking === undefined && known.thinksByDefault ? "adaptive" : "off";
  return {
    profile,
    policy,
    journal,
    model: known,
    body,
    thinking: body === undefined ? undefined : type === "enabled" || type === "adaptive" ? type : byDefault,
    continues: continuesThread(body),
    outlook: createOutlook(list, meantRoleOf),
    skipped: [],
    names: new Map(),
  };
}

/** The place of a block in a message of the input; a message that is plain text has only one. */
export function blockAt(source: Source, place: number, tail = ""): Spot {
  const isText = isRecord(source.wire) && typeof source.wire["content"] === "string";
  const isForeign = contentKey(source) === "parts";
  const suffix = isText ? ".content" : isForeign ? `.parts[${place}]` : `.content[${place}]${tail}`;
  return { source, suffix, part: { place, tail } };
}
