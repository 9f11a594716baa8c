import { isRecord } from "#core";

/** The names under which servers send events that only keep a connection alive. */
const names: ReadonlySet<string> = new Set(["ping", "heartbeat", "keepalive"]);

/** True for the name of a keep-alive, in any spelling: `keep-alive`, `Heart_beat`. */
export const isKeepAliveName = (name: unknown): boolean =>
  typeof name === "string" && name.length < 40 && names.has(name.toLowerCase().replaceAll(/[\s_-]/gu, ""));

/** True for a frame that only keeps a connection alive: its type says so, or the name of its event where it has none. */
export function isKeepAlive(value: unknown, event: string | undefined): boolean {
  const type = isRecord(value) ? value["type"] : undefined;
  return isKeepAliveName(type ?? event);
}

/** True for a raw event whose name says so. */
export const isKeepAliveEvent = (raw: string): boolean => isKeepAliveName(/^event:([^\r\n]*)/mu.exec(raw)?.[1]);
