import { repair, repairKeepingMedia } from "#codecs";
import type { RepairOptions } from "#codecs";
import type { UnansweredCall } from "#core";

import type { Reporter } from "../reporter.ts";
import { rulesProvider } from "./endpoints.ts";
import type { Endpoint } from "./endpoints.ts";
import { numberLiteralsIn } from "./number-literals.ts";
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
