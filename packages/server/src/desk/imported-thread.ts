import { settingsName } from "./run-settings.ts";

/** A thread that was exported, without what the server notes of threads: that is nobody else's to say. */
export function withoutNotes(history: unknown): unknown {
  if (typeof history !== "object" || history === null || !("undangle" in history)) return history;
  const { meta: _notes, state, ...rest } = history as Readonly<Record<string, unknown>>; // it has keys
  if (typeof state !== "object" || state === null) return { ...rest, ...(state !== undefined && { state }) };
  const { [settingsName]: _settings, ...own } = state as Readonly<Record<string, unknown>>; // so has that
  return { ...rest, state: own };
}
