export { faultNames, faults } from "./faults/faults.ts";
export type { FaultName } from "./faults/faults.ts";
export type { Fault, Outcome, WireFormat } from "./faults/fault.ts";
export type { ScriptedCall, ScriptedTurn } from "./scripted-turn.ts";
export { wireServer } from "./wire-server.ts";
export type { WireRequest, WireServer, WireServerOptions } from "./wire-server.ts";
