import type { CallView, RemoteEntry } from "undangle/client";

import type { CallPhase } from "../texts/state-texts.ts";
import type { Tone } from "./badge.tsx";

/** The tone of each state of a call, in all views. Red is what went wrong; what people decided against is no failure. */
export const callTones: Readonly<Record<CallPhase, Tone>> = {
  writing: "neutral",
  proposed: "neutral",
  awaiting: "warn",
  approved: "accent",
  running: "accent",
  delegated: "warn",
  rejected: "neutral",
  responded: "good",
  superseded: "neutral",
  expired: "warn",
  succeeded: "good",
  failed: "bad",
  "timed-out": "bad",
  stopped: "neutral",
  lost: "bad",
  unanswered: "warn",
};

/** True for an imported turn. Its calls may never have been started: their state `lost` does not mean a crash. */
export const isImported = ({ model }: Pick<RemoteEntry, "model">): boolean => model === "imported";

const openStates: ReadonlySet<string> = new Set(["proposed", "awaiting", "approved", "running", "delegated"]);

/** True for a call with an outcome. */
export const isSettled = ({ status }: Pick<CallView, "status">): boolean => !openStates.has(status);
