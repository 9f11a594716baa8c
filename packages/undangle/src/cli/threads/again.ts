import type { Options } from "../option-table.ts";
import { shellWord } from "../terminal/shell-word.ts";
import { printable } from "../terminal/text-width.ts";
import { withoutPassword } from "../terminal/without-password.ts";

/** A command about threads of the same store, as a person can copy it; passwords are left out. */
export function commandAbout(action: string, ids: readonly string[], options: Options): string {
  const kept = (["store", "config", "agent"] as const).flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [`--${name}`, shellWord(withoutPassword(value))];
  });
  return printable(["undangle threads", action, ...ids.map(shellWord), ...kept].join(" "));
}
