import { isRecord } from "../record.ts";
import type { Fields } from "../record.ts";
import { settingsName } from "./run-settings.ts";

/**
 * A thread that was exported, as it may come in: without what the server notes of threads, for that is nobody else's to say, and
 * with decisions that nobody here has made. Any other history as it is.
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

/** True for what an export of a thread gave, which has to be mended nowhere. */
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

/** Whoever imports could name anybody: a key of this server, too. */
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
