import { withoutPassword } from "#config";
import type { PendingCall } from "#engine";

import type { Options } from "../option-table.ts";
import { commandWords, optionWords } from "../terminal/command-words.ts";
import { printable } from "../terminal/printable.ts";
import type { ThreadsTexts } from "./texts/threads-texts.ts";

/** A command for threads of the same store to copy, without passwords. */
export function commandAbout(
  action: string,
  ids: readonly string[],
  options: Options,
  more: readonly string[] = [],
): string {
  const kept = (["store", "config", "agent"] as const).flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : optionWords(name, withoutPassword(value));
  });
  return printable(`undangle threads ${action} ${commandWords(ids, [...more, ...kept])}`.trimEnd());
}

/** A pending call by its id and, for a call of a sub-agent, where it is. */
export const pendingText = ({ id, path }: Pick<PendingCall, "id" | "path">): string =>
  printable(path === undefined ? id : `${id} (${path})`);

/** The commands that approve and reject a call of a thread. */
export const commandsToDecide = (id: string, call: string, { options, texts }: Asking): readonly string[] => [
  commandAbout("decide", [id], options, ["--approve", call]),
  commandAbout("decide", [id], options, ["--reject", `${call}=${texts.reason}`]),
];

interface Asking {
  readonly options: Options;
  readonly texts: ThreadsTexts;
}
