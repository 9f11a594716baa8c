import type { Message } from "#codecs";

/** Identifies an entry of a thread. It names the same entry in a fork, after a restart and after an import. */
export interface EntryRef {
  readonly number: number;
  /** When it was added. In a fork, another entry can have the same number. */
  readonly at: number;
}

const key: unique symbol = Symbol("entry");

/** Messages that know their entry. Copies that hooks make with `...` know it too. */
export const markedMessages = (messages: readonly Message[], entry: EntryRef): readonly Message[] =>
  messages.map((message) => ({ ...message, [key]: entry }));

/** The entry of a message. Undefined for one that a hook or a repair has created. */
export const entryOf = (message: Message): EntryRef | undefined =>
  (message as Message & { readonly [key]?: EntryRef })[key]; // set by the journal
