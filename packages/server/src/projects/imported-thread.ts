import { isRecord } from "../record.ts";
import type { Fields } from "../record.ts";
import { settingsName } from "./runs/run-settings.ts";

/**
 * An exported thread for import: without the server's note, which only the server may write, and without authors of
 * decisions from elsewhere. Any other history is unchanged.
 */
export function fromElsewhere(history: unknown): unknown {
  if (!isExported(history)) return history;
  const { meta: _notes, state, entries, ...rest } = history;
  return {
    ...rest,
    ...(entries !== undefined && { entries: Array.isArray(entries) ? entries.map(entryFromElsewhere) : entries }),
    ...(state !== undefined && { state: withoutSettings(state) }),
  };
}

/** True for an exported thread, which needs no repair. */
export const isExported = (history: unknown): history is Fields => isRecord(history) && "undangle" in history;

function withoutSettings(state: unknown): unknown {
  if (!isRecord(state)) return state;
  const { [settingsName]: _settings, ...own } = state;
  return own;
}

function entryFromElsewhere(each: unknown): unknown {
  if (!isRecord(each) || !Array.isArray(each["calls"])) return each;
  return { ...each, calls: each["calls"].map(callFromElsewhere) };
}

/** Removes the author of a decision. An import could name any key of this server. */
function callFromElsewhere(call: unknown): unknown {
  if (!isRecord(call)) return call;
  const { decision, allowance } = call;
  return {
    ...call,
    ...(isRecord(decision) && { decision: byElsewhere(decision) }),
    ...(isRecord(allowance) && { allowance: byElsewhere(allowance) }),
  };
}

const prefix = "imported:";

function byElsewhere(deed: Fields): Fields {
  const { by } = deed;
  if (by === undefined || (typeof by === "string" && by.startsWith(prefix))) return deed;
  return { ...deed, by: `${prefix}${typeof by === "string" ? by : ""}` };
}
