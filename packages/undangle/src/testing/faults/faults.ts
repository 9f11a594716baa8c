import { chatContent } from "./chat-content.ts";
import { chatIdentity } from "./chat-identity.ts";
import { endings } from "./endings.ts";
import type { Fault, WireFormat } from "./fault.ts";
import { malformedArguments } from "./malformed-arguments.ts";
import { otherFormats } from "./other-formats.ts";
import { transport } from "./transport.ts";

/** All faults that occur in real streams, by name. */
export const faults = {
  ...chatIdentity,
  ...chatContent,
  ...malformedArguments,
  ...endings,
  ...transport,
  ...otherFormats,
};

export type FaultName = keyof typeof faults;

/** The names of the faults that a format can have. */
export function faultNames(format?: WireFormat): readonly FaultName[] {
  const names = Object.keys(faults) as readonly FaultName[];
  return format === undefined ? names : names.filter((name) => faultOf(name).formats.includes(format));
}

export const faultOf = (name: FaultName): Fault => faults[name];
