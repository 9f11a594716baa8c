import type { Means } from "../dialect.ts";
import type { Call } from "../history.ts";
import type { Turn } from "./turns.ts";

/** True if a result of this name belongs to another tool than the call. */
export type IsOther = (call: Call, name: string) => boolean;

/**
 * Distinguishes names of other tools from placeholders such as `unknown` or an id. A name is that of a tool if the
 * request offers it or the history calls it. Without tools in the request, every name that does not look like a
 * placeholder counts.
 */
export function createIsOther(turns: readonly Turn[], { dialect, unread }: Means): IsOther {
  const offered = new Set(dialect.toolNames);
  let called: ReadonlySet<string> | undefined;
  const isTool = (name: string): boolean => {
    if (offered.has(name)) return true;
    called ??= new Set(turns.flatMap(({ calls }) => calls.map((call) => call.name)));
    if (called.has(name) || (offered.size === 0 && !isMakeshift(name))) return true;
    if (unread !== undefined) unread.isNeeded = true;
    return false;
  };
  const isSame = (one: string, other: string): boolean =>
    !(offered.has(one) && offered.has(other)) && lastWord(one) === lastWord(other);
  return (call, name) =>
    call.name !== "" && name !== "" && call.name !== name && isTool(name) && !isSame(call.name, name);
}

/** Placeholders for an unknown name, and ids. */
const isMakeshift = (name: string): boolean =>
  /^(?:(?:unknown|unnamed|tool|function|call|use|result|response|output|name|none|null|undefined)[\s_.:-]*)+$/i.test(
    name,
  ) || /^(?:call|toolu|fc|chatcmpl)[_-]|\d{4}/.test(name);

/** A name without its namespace, which models and clients add or omit: `default_api:look_up`. */
function lastWord(name: string): string {
  const word = name.split(/[.:/]|__/).at(-1) ?? name;
  return word.replaceAll(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}
