import type { Content, Entry, Finding, Journal, Policy, Source } from "#core";

import type { Outlook } from "../spans.ts";
import type { ResponsesProfile } from "./profile.ts";

/** What reading one request needs at hand. */
export interface Context {
  readonly profile: ResponsesProfile;
  readonly policy: Policy;
  readonly journal: Journal;
  /** Who speaks first from an item on. */
  readonly outlook: Outlook;
  /** Reasoning that cannot stay, and why. */
  readonly doomed: Map<Source, Doom>;
  /** Calls that outputs in the input answer may be stored by the server. */
  readonly isStored: () => boolean;
  /** Media that an assistant message cannot hold, by the message that they stood in. */
  readonly media: Map<Entry, readonly Content[]>;
}

/** Why an item goes. */
export interface Doom {
  readonly finding: Omit<Finding, "from">;
  readonly lossless: boolean;
}
