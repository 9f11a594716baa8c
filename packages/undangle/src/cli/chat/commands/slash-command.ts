import type { Place, OpenedAgent } from "../open-chat.ts";
import type { Desk } from "../desk.ts";
import type { Language } from "#core";
import type { Run, Thread } from "#engine";

/** A conversation with a person, as its commands see it. */
export interface Talk {
  readonly desk: Desk;
  readonly place: Place;
  readonly thread: () => Thread;
  readonly agent: () => OpenedAgent;
  readonly isRunning: () => boolean;
  /** Goes to another thread. */
  readonly enter: (id: string) => Promise<void>;
  readonly fork: () => Promise<void>;
  /** Hears of a run that could not begin. */
  readonly watch: (run: Run) => Promise<string | undefined>;
  readonly askPending: () => Promise<void>;
  readonly switchModel: (name: string) => Promise<void>;
  readonly setLanguage: (language: Language) => Promise<void>;
  readonly stop: () => void;
  readonly leave: () => void;
}

/** What stands behind a slash. */
export interface SlashCommand {
  /** What stands behind its name. */
  readonly usage: string;
  /** Whether it can be used while an answer comes. */
  readonly anytime: boolean;
  readonly run: (talk: Talk, words: readonly string[]) => Promise<void> | void;
  /** What may stand behind its name. */
  readonly complete?: () => readonly string[];
}
