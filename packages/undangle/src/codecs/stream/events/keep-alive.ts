import { isRecord } from "#core";

/** Event names that servers use for keep-alives. */
const names: ReadonlySet<string> = new Set(["ping", "heartbeat", "keepalive"]);

/** True for the name of a keep-alive, in any spelling: `keep-alive`, `Heart_beat`. */
export const isKeepAliveName = (name: unknown): boolean =>
  typeof name === "string" && name.length < 40 && names.has(name.toLowerCase().replaceAll(/[\s_-]/gu, ""));

/** True for a keep-alive frame, by its type, or by the event name if it has no type. */
export function isKeepAlive(value: unknown, event: string | undefined): boolean {
  const type = isRecord(value) ? value["type"] : undefined;
  return isKeepAliveName(type ?? event);
}

/** True for a raw event with the name of a keep-alive. */
export const isKeepAliveEvent = (raw: string): boolean => isKeepAliveName(/^event:([^\r\n]*)/mu.exec(raw)?.[1]);
