import type { Content, Entry, Finding, Journal, Policy, Source } from "#core";

import type { Outlook } from "../spans.ts";
import type { ResponsesProfile } from "./profile.ts";

/** What reading one request needs at hand. */
export interface Context {
  readonly profile: ResponsesProfile;
  readonly policy: Policy;
  readonly journal: Journal;
  /** The next role from an item on. */
  readonly outlook: Outlook;
  /** Reasoning that cannot stay, and why. */
  readonly doomed: Map<Source, Doom>;
  /** True if the server may have stored the calls of outputs in the input. */
  readonly isStored: () => boolean;
  /** Media that an assistant message cannot contain, by message. */
  readonly media: Map<Entry, readonly Content[]>;
}

/** Why an item goes. */
export interface Doom {
  readonly finding: Omit<Finding, "from">;
  readonly lossless: boolean;
}
