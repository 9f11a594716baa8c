import { isRecord } from "#core";
import type { Journal, JsonObject, Policy, Source, Spot } from "#core";

import type { Request } from "../../codec.ts";
import { contentKey } from "../../gemini/message-of-parts.ts";
import { createOutlook, meantRoleOf } from "../../spans.ts";
import type { Outlook } from "../../spans.ts";
import { modelOf } from "../model.ts";
import type { Model } from "../model.ts";
import type { AnthropicProfile } from "../profile.ts";
import { continuesThread } from "./thread.ts";

/** The context for reading one request. */
export interface Context {
  readonly profile: AnthropicProfile;
  readonly policy: Policy;
  readonly journal: Journal;
  readonly model: Model;
  /** The body around the messages; undefined for a bare array. */
  readonly body: JsonObject | undefined;
  /** `off` if the body does not specify it. Undefined for a bare array. */
  readonly thinking: "enabled" | "adaptive" | "off" | undefined;
  /** True if the server stores the earlier messages, the tools and the system text. */
  readonly continues: boolean;
  /** Looks up the role of the next message. */
  readonly outlook: Outlook;
  /** Empty user messages next to others. The API ignores them, so they are removed only if something else changes. */
  readonly skipped: Source[];
  /** The names of results in messages of other formats, by the positions of their blocks. */
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

/** The position of a block in a message of the input. A plain text message has only one. */
export function blockAt(source: Source, place: number, tail = ""): Spot {
  const isText = isRecord(source.wire) && typeof source.wire["content"] === "string";
  const isForeign = contentKey(source) === "parts";
  const suffix = isText ? ".content" : isForeign ? `.parts[${place}]` : `.content[${place}]${tail}`;
  return { source, suffix, part: { place, tail } };
}
