import type { Place, OpenedAgent } from "../open-chat.ts";
import type { Desk } from "../desk.ts";
import type { Manner } from "../manner.ts";
import type { Language } from "#core";
import type { Run, Thread } from "#engine";

/** The chat, as its commands see it. */
export interface Talk {
  readonly desk: Desk;
  readonly place: Place;
  readonly manner: Pick<Manner, "mode" | "setMode">;
  readonly thread: () => Thread;
  readonly agent: () => OpenedAgent;
  readonly isRunning: () => boolean;
  /** Switches to another thread. */
  readonly enter: (id: string) => Promise<void>;
  readonly fork: () => Promise<void>;
  /** Reports a run that did not start. */
  readonly watch: (run: Run) => Promise<string | undefined>;
  readonly askPending: () => Promise<void>;
  readonly switchModel: (name: string) => Promise<void>;
  readonly setLanguage: (language: Language) => Promise<void>;
  readonly stop: () => void;
  readonly leave: () => void;
}

/** A command that starts with a slash. */
export interface SlashCommand {
  /** The arguments after its name. */
  readonly usage: string;
  /** True if it can be used during a response. */
  readonly anytime: boolean;
  readonly run: (talk: Talk, words: readonly string[]) => Promise<void> | void;
  /** Completions of its argument. */
  readonly complete?: () => readonly string[];
}
