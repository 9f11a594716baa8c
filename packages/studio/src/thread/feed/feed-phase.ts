/** What the feed of a thread does. */
export type FeedPhase =
  /** Before its start, and after its end. */
  | { readonly type: "stopped" }
  /** The tab is hidden: nothing is read until it is shown. */
  | { readonly type: "hidden" }
  /**
   * It reads everything and follows events, or tries to. Meanwhile the newest page may be read again: `running`. What
   * changes during such a read, and the rest after it, is read `again`.
   */
  | { readonly type: "connected"; readonly reading: "none" | "running" | "again" };

/**
 * - `start`, `stop`: the page shows the thread, or another one.
 * - `hide`, `show`: the tab.
 * - `reopen`: the connection was lost and is back.
 * - `change`: something changed that only the server knows completely, or could not be read.
 * - `rest`: a read and the rest after it are over.
 * - `refuse`: the server refuses reads.
 */
export type FeedSignal = "start" | "stop" | "hide" | "show" | "reopen" | "change" | "rest" | "refuse";

const stopped: FeedPhase = { type: "stopped" };
const hidden: FeedPhase = { type: "hidden" };
const connected: FeedPhase = { type: "connected", reading: "none" };
const running: FeedPhase = { type: "connected", reading: "running" };
const again: FeedPhase = { type: "connected", reading: "again" };

/** True while the newest page is read again. */
export const isReading = (phase: FeedPhase): boolean => phase.type === "connected" && phase.reading !== "none";

/** The phase after a signal. The same object if the signal means nothing in the phase. */
export function phaseAfter(phase: FeedPhase, signal: FeedSignal): FeedPhase {
  if (signal === "stop") return stopped;
  switch (phase.type) {
    case "stopped":
      return signal === "start" ? connected : phase;
    case "hidden":
      return signal === "show" ? connected : phase; // everything is read then
    case "connected":
      return whileConnected(phase, signal);
  }
}

function whileConnected(phase: Extract<FeedPhase, { type: "connected" }>, signal: FeedSignal): FeedPhase {
  switch (signal) {
    case "hide":
      return hidden;
    case "reopen":
    case "refuse":
      return connected;
    case "change":
      return phase.reading === "none" ? running : again;
    case "rest":
      return phase.reading === "again" ? running : connected;
    default:
      return phase;
  }
}
