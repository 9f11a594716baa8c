import { repair, repairKeepingMedia } from "#codecs";
import type { RepairOptions } from "#codecs";
import type { UnansweredCall } from "#core";

import type { Reporter } from "../reporter.ts";
import { rulesProvider } from "./endpoints.ts";
import type { Endpoint } from "./endpoints.ts";
import type { ReadRequest } from "./read-request.ts";

export interface RequestRepairOptions extends Pick<
  RepairOptions,
  "language" | "notice" | "notices" | "orphans" | "duplicates"
> {
  readonly mode?: "repair" | "warn" | "off" | undefined;
}

/** The arguments of `fetch` with the repaired body. Undefined if nothing is changed. */
export function repairRequest(
  { url, text, body, withBody }: ReadRequest,
  endpoint: Endpoint,
  { mode, language, notice, notices, orphans, duplicates }: RequestRepairOptions,
  reporter: Reporter,
): ReturnType<ReadRequest["withBody"]> | undefined {
  try {
    const { format, model } = endpoint;
    const provider = rulesProvider(endpoint, body);
    const run = provider === endpoint.provider ? repair : repairKeepingMedia; // a gateway may accept media that the model's maker refuses
    const options = { format, provider, model, language, notices, orphans, duplicates };
    const recorded = notice && recording(notice);
    const { output, edits, problems } = run(body, { ...options, notice: recorded?.record });
    if (edits.length === 0 && problems.length === 0) return undefined;
    const isChanged = mode !== "warn" && edits.length > 0;
    const repairAgain = (other: string): string =>
      JSON.stringify(run(JSON.parse(other), { ...options, notice: recorded?.replay }).output);
    const changed = isChanged ? withBody(keepingNumbers(output, text, repairAgain)) : undefined;
    reporter.report({ side: "request", url, format, isChanged, edits, problems });
    return changed;
  } catch (error) {
    reporter.fail("request", url, error); // the provider refuses a body that cannot be read
    return undefined;
  }
}

/** The text of a repaired body with its numbers as the client wrote them. */
function keepingNumbers(output: unknown, text: string, repairAgain: (text: string) => string): string {
  const made = JSON.stringify(output);
  const literals = numberLiteralsIn(text);
  return literals === undefined ? made : literals.restore(repairAgain(literals.masked), made);
}

/** Calls a notice function once per notice, and replays its texts in the same order. */
function recording(notice: (call: UnansweredCall) => string): Record<"record" | "replay", typeof notice> {
  const texts: string[] = [];
  let next = 0;
  return {
    record(call) {
      const text = notice(call);
      texts.push(text);
      return text;
    },
    replay: () => texts[next++] ?? "",
  };
}

/** Numbers in a JSON text that JavaScript does not preserve: `12345678901234567890`, `1e400`, `1.0`. */
interface NumberLiterals {
  /** The text with placeholder numbers, which JavaScript preserves. */
  readonly masked: string;
  /** Puts the literals into the output made from `masked`. Gives `made` if the two outputs differ in anything else. */
  readonly restore: (again: string, made: string) => string;
}

/** The number literals of a text that a rewrite would change. Undefined if there are none. */
export function numberLiteralsIn(text: string): NumberLiterals | undefined {
  const masks = new Map<string, string>();
  const numbers = new Map<string, string>();
  const prefix = unusedIn(text);
  const masked = text.replace(number, (found, before: string, written: string) => {
    if (kept(written) === written) return found;
    const mask = masks.get(written) ?? `${prefix}${String(masks.size).padStart(7, "0")}`;
    masks.set(written, mask); // equal literals get equal placeholders
    numbers.set(mask, written);
    return before + mask;
  });
  if (masks.size === 0) return undefined;
  const isMask = new RegExp(`${prefix}\\d{7}`, "gu");
  return {
    masked,
    restore(again, made) {
      const exact = withIdsOf(
        made,
        again.replace(isMask, (mask) => numbers.get(mask) ?? mask),
      );
      return withKept(exact) === withKept(made) ? exact : made;
    },
  };
}

/** A number in JSON, also in JSON inside a string. */
const number = /([:,[](?:\s|\\[nrt])*)(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=(?:\s|\\[nrt])*[,}\]])/gu;

/** A number as JavaScript writes it. */
const kept = (written: string): string => JSON.stringify(Number(written));

const withKept = (text: string): string =>
  text.replace(number, (_, before: string, written: string) => before + kept(written));

/** A text with the ids of another output: generated ids depend on the input text. */
function withIdsOf(made: string, text: string): string {
  const [own, others] = [wordsOf(text), wordsOf(made)];
  const ids = new Map(own.map((id, i) => [id, others[i] ?? id] as const).filter(([id, other]) => id !== other));
  return ids.size === 0 ? text : text.replace(word, (id) => ids.get(id) ?? id);
}

const word = /[\w-]+/gu;

const wordsOf = (text: string): readonly string[] => withKept(text).match(word) ?? [];

/** Nine digits that the text does not contain. With seven more they form an integer that JavaScript preserves. */
function unusedIn(text: string): number {
  let digits = 700_000_003;
  while (text.includes(String(digits))) digits += 7919;
  return digits;
}
