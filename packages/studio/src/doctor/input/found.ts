import type { StreamFormat } from "undangle";
import type { JsonFault } from "undangle/report";

import type { FileFault } from "../work/read-file.ts";

/** Something in an input that can be examined. */
export type Found =
  | FoundHistory
  | FoundStream
  | { readonly type: "error-text"; readonly text: string }
  | ({ readonly type: "not-json" } & JsonPlace)
  /** JSON without any messages. */
  | { readonly type: "no-messages"; readonly value: unknown }
  /** A session file of this agent, which has no reader yet. */
  | { readonly type: "session"; readonly agent: string }
  /** A thread that this product exported. */
  | { readonly type: "exported" }
  | { readonly type: "unreadable"; readonly reason: "blank" | FileFault };

export interface FoundHistory extends Place {
  readonly type: "history";
  readonly value: unknown;
  /** Undefined if it is not written as JSON. */
  readonly written?: Written;
  /** The address near it, which may show the provider. */
  readonly url?: string;
  /** Where the input is not JSON, if it was read nevertheless. */
  readonly fault?: JsonPlace;
}

export interface FoundStream extends Partial<Place> {
  readonly type: "stream";
  readonly text: string;
  readonly format: StreamFormat;
}

/** Where something is in an input. */
export interface Place {
  /** The line of the input, counted from 1, if it has several values. */
  readonly line?: number;
  /** The path in the value of that line. */
  readonly path: string;
}

/** How a history is written, so that its repaired version can be written in the same way. */
export type Written =
  | { readonly form: "json"; readonly text: string; readonly root: unknown }
  /** One message per line. */
  | { readonly form: "json-lines"; readonly text: string };

/** Where a text stops being JSON. Line and column start at 1. */
export interface JsonPlace {
  readonly fault: JsonFault;
  readonly line: number;
  readonly column: number;
  /** The line around the place; `caret` is the position in it. */
  readonly excerpt: string;
  readonly caret: number;
}
