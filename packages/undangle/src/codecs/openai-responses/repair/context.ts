import { isRecord } from "#core";
import type { Content, Entry, Finding, Journal, Policy, Source } from "#core";

import type { Outlook } from "../../spans.ts";
import type { Fate } from "./copies.ts";
import type { ResponsesProfile } from "../profile.ts";

/** The context for reading one request. */
export interface Context {
  readonly profile: ResponsesProfile;
  readonly policy: Policy;
  readonly journal: Journal;
  /** Looks up the role of the next item. */
  readonly outlook: Outlook;
  /** Reasoning that must be removed, and the reason. */
  readonly doomed: Map<Source, Doom>;
  /** True if the server may have stored the calls of outputs in the input. */
  readonly isStored: () => boolean;
  /** The items with a duplicate id, by index. */
  readonly copies: () => ReadonlyMap<number, Fate>;
  /** Media that an assistant message cannot contain, by message. */
  readonly media: Map<Entry, readonly Content[]>;
}

/** Why an item is removed. */
interface Doom {
  readonly finding: Omit<Finding, "from">;
  readonly lossless: boolean;
}

/** The source of an item inside a message. */
export interface InnerSource extends Source {
  /** The path relative to the message. */
  readonly path: string;
}

/** The path of an entry relative to its item. */
export const innerPath = (source: Source): string => ("path" in source ? String(source.path) : "");

/** The path of the call id in a result, which depends on the format. */
export function resultIdPath(source: Source): string {
  if ("path" in source) return `${innerPath(source)}.tool_use_id`;
  return isRecord(source.wire) && source.wire["tool_call_id"] !== undefined ? ".tool_call_id" : ".call_id";
}
