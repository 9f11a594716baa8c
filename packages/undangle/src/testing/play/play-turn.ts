import { choiceOf } from "../faults/chat-stream.ts";
import { faultOf } from "../faults/faults.ts";
import type { FaultName } from "../faults/faults.ts";
import type { WireFormat } from "../faults/fault.ts";
import type { Turn } from "../scripted-turn.ts";
import type { Played } from "./played.ts";
import { players } from "./players.ts";

/** A turn as a stream of a format, with faults. Faults that the format cannot have are skipped. */
export function playTurn(turn: Turn, format: WireFormat, faults: readonly FaultName[]): Played {
  const healthy = players[format].stream(turn);
  if (faults.length === 0) return healthy;
  const played = structuredClone(healthy); // faults change it in place
  for (const name of faults) {
    const fault = faultOf(name);
    if (fault.formats.includes(format)) fault.apply(played);
  }
  if (played.countsChoices) countChoices(played);
  return played;
}

function countChoices({ frames }: Played): void {
  frames.forEach(({ data }, i) => {
    const choice = choiceOf(data);
    if (choice !== undefined) choice["index"] = i;
  });
}
