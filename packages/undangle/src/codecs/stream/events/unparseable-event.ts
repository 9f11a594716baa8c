import type { Assembly } from "#core";

import type { StreamDialect } from "./dialects.ts";
import { isKeepAliveName } from "./keep-alive.ts";

/** An event whose data is not JSON. */
export interface UnparseableEvent {
  readonly data: string;
  readonly event: string | undefined;
  /** Lines after the data that belong to no field. A line break may have split the data. */
  readonly rest: string;
  readonly dialect: StreamDialect | undefined;
}

/** Handles an event whose data is not JSON. True if calls may lack it. */
export function takeUnparseable({ data, event, rest, dialect }: UnparseableEvent, assembly: Assembly): boolean {
  assembly.frames++;
  if (event === "error") {
    assembly.fail({ message: data, from: "provider" });
    return false;
  }
  if (!/[{}]/u.test(data) || isKeepAliveName(event)) {
    assembly.note("frame-not-json");
    return false;
  }
  const text = data + rest;
  return assembly.lose(hasCallKey.test(text) ? "call" : (dialect?.lossOf(text, event) ?? "piece"));
}

/** A key of calls, with content or truncated there. */
const hasCallKey =
  /(["'])(?:tool_calls|function_?[cC]all|toolUse)\1\s*:\s*(?:\[\s*)?(?:\{|$)|(["'])type\2\s*:\s*\2tool_use\2|[{,]\s*["'](?:tool_c|function_?[cC]|toolU)\w*["']?$/u;
