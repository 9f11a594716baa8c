import type { Dialect } from "../dialect.ts";
import type { Call } from "../history.ts";
import type { Turn } from "./turns.ts";

/** True when a result of this name is that of another tool than the call names. */
export type IsOther = (call: Call, name: string) => boolean;

/**
 * Tells results of other tools from those whose name is a makeshift, such as `unknown` or an id: a name is that of a tool
 * when the request offers it, or the history calls it. Where a request offers none, every name is one that does not look
 * like a makeshift.
 */
export function createIsOther(turns: readonly Turn[], { toolNames }: Dialect): IsOther {
  const offered = new Set(toolNames);
  let called: ReadonlySet<string> | undefined;
  const isTool = (name: string): boolean => {
    if (offered.has(name)) return true;
    called ??= new Set(turns.flatMap(({ calls }) => calls.map((call) => call.name)));
    return called.has(name) || (offered.size === 0 && !isMakeshift(name));
  };
  const isSame = (one: string, other: string): boolean =>
    !(offered.has(one) && offered.has(other)) && lastWord(one) === lastWord(other);
  return (call, name) =>
    call.name !== "" && name !== "" && call.name !== name && isTool(name) && !isSame(call.name, name);
}

/** Words that stand where a name is wanted and none is known, and ids. */
const isMakeshift = (name: string): boolean =>
  /^(?:(?:unknown|unnamed|tool|function|call|use|result|response|output|name|none|null|undefined)[\s_.:-]*)+$/i.test(
    name,
  ) || /^(?:call|toolu|fc|chatcmpl)[_-]|\d{4}/.test(name);

/** A name without the space that it belongs to, as models and clients add or leave it out: `default_api:look_up`. */
function lastWord(name: string): string {
  const word = name.split(/[.:/]|__/).at(-1) ?? name;
  return word.replaceAll(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}
