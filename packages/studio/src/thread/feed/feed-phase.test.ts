import { expect, test } from "vitest";

import { phaseAfter } from "./feed-phase.ts";
import type { FeedPhase, FeedSignal } from "./feed-phase.ts";

const nameOf = (phase: FeedPhase): string => (phase.type === "connected" ? phase.reading : phase.type);

/** The phases after each of the signals, from the start on. */
function after(...signals: readonly FeedSignal[]): readonly string[] {
  let phase: FeedPhase = { type: "stopped" };
  return signals.map((signal) => nameOf((phase = phaseAfter(phase, signal))));
}

test.each<readonly [string, readonly FeedSignal[], readonly string[]]>([
  ["one change is read once", ["start", "change", "rest"], ["none", "running", "none"]],
  [
    "what changes during a read is read after it, once",
    ["start", "change", "change", "change", "rest", "rest"],
    ["none", "running", "again", "again", "running", "none"],
  ],
  ["a read that fails is repeated", ["start", "change", "change", "rest"], ["none", "running", "again", "running"]],
  [
    "a hidden tab forgets what changed: everything is read when it is shown",
    ["start", "change", "hide", "change", "rest", "show"],
    ["none", "running", "hidden", "hidden", "hidden", "none"],
  ],
  ["so does a connection that is back", ["start", "change", "change", "reopen"], ["none", "running", "again", "none"]],
  ["a refused read is not repeated", ["start", "change", "change", "refuse"], ["none", "running", "again", "none"]],
  [
    "after its end a feed does nothing, until it starts again",
    ["start", "stop", "change", "show", "reopen", "start"],
    ["none", "stopped", "stopped", "stopped", "stopped", "none"],
  ],
  ["a hidden feed can end", ["start", "hide", "stop", "show"], ["none", "hidden", "stopped", "stopped"]],
])("%s", (_, signals, phases) => {
  expect(after(...signals)).toEqual(phases);
});

test("a signal without meaning keeps the phase", () => {
  const phase: FeedPhase = { type: "connected", reading: "none" };
  for (const signal of ["start", "show"] as const) expect(phaseAfter(phase, signal)).toBe(phase);
});
