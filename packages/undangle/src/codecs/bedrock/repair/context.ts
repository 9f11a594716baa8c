import type { Call, Finding, Journal, JsonObject, Part, Policy, ResultEntry, Source } from "#core";

import type { Request } from "../../codec.ts";
import { createOutlook, meantRoleOf } from "../../spans.ts";
import type { Outlook } from "../../spans.ts";
import { modelOf } from "./model.ts";
import type { Model } from "./model.ts";

/** The context for reading one request. */
export interface Context {
  readonly policy: Policy;
  readonly journal: Journal;
  readonly model: Model;
  readonly list: readonly unknown[];
  /** The body around the messages; undefined for a bare array. */
  readonly body: JsonObject | undefined;
  /** Looks up the role of the next message. */
  readonly outlook: Outlook;
  /** The roles of the messages as they were read, by index. */
  readonly roles: Map<number, "user" | "assistant" | "system">;
  /** Empty messages. They do not interfere, and their removal is decided at the end. */
  readonly emptied: Emptied[];
  /** System messages that move to the top-level field. */
  readonly hoisted: Hoisted[];
  /** Blocks in a message of the wrong role. They move to a message of their role unless a rule removes them. */
  readonly misplaced: Misplaced[];
  /** The names of results in messages of other formats, by the positions of their blocks. */
  readonly names: Map<Source, readonly (string | undefined)[]>;
}

/** A message without content. */
export interface Emptied {
  readonly source: Source;
  readonly role: "user" | "assistant";
  /** True if it was empty in the input. Otherwise its content was removed, which was reported. */
  readonly cameEmpty: boolean;
  /** Its cache markers, which have no effect without content. */
  readonly markers: readonly Part[];
}

/** A system message that moves to the top-level field. */
export interface Hoisted {
  readonly finding: Finding;
  readonly blocks: readonly unknown[];
}

/** A call or result in a message of the other role. */
export interface Misplaced {
  readonly finding: Finding;
  readonly source: Source;
  readonly block: Call | ResultEntry;
}

export function createContext(request: Request, policy: Policy, journal: Journal): Context {
  const { list, body } = request;
  const found = { roles: new Map(), emptied: [], hoisted: [], misplaced: [], names: new Map() };
  return { policy, journal, model: modelOf(request), list, body, outlook: createOutlook(list, meantRoleOf), ...found };
}
