import type { AssembledCall, AssembledTurn, Seal, StreamPart } from "#core";

/** Adds the name of a server to its signatures. */
export interface SealedBy {
  readonly part: (part: StreamPart) => StreamPart;
  readonly turn: (turn: AssembledTurn) => AssembledTurn;
}

/** If several servers share a format and cannot read each other's signatures, each signature names its server. */
export function sealedBy(server: string): SealedBy {
  const calls = new Map<AssembledCall, AssembledCall>(); // a call is the same object in every part
  const named = <Part extends { readonly seal?: Seal }>(part: Part): Part =>
    part.seal === undefined ? part : { ...part, seal: { ...part.seal, server } };
  const call = (given: AssembledCall): AssembledCall => {
    const known = calls.get(given) ?? named(given);
    calls.set(given, known);
    return known;
  };
  const turn = (given: AssembledTurn): AssembledTurn => ({
    ...given,
    calls: given.calls.map(call),
    parts: given.parts.map((part) => (part.type === "call" ? { ...part, call: call(part.call) } : named(part))),
  });
  return {
    turn,
    part(part) {
      if (part.type === "call-end") return { ...part, result: call(part.result) };
      return part.type === "finish" ? { ...part, turn: turn(part.turn) } : part;
    },
  };
}
