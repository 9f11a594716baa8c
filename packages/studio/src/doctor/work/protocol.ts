import type { Format, Language } from "undangle";

import type { Target } from "./effective-target.ts";
import type { Examination, InputView, MessageView, RuleView } from "./examination.ts";

/** What the page requests from the worker. */
export interface Requests {
  readonly read: { readonly source: string | Blob };
  /** Stops the reading of a file. Its request is responded to with nothing. */
  readonly cancel: object;
  readonly examine: { readonly index: number; readonly target: Target; readonly language: Language };
  readonly messages: { readonly side: "before" | "after"; readonly from: number; readonly count: number };
  readonly output: object;
  /** The history as it was given, which a server repairs when it imports it. */
  readonly original: object;
  readonly rules: { readonly language: Language };
}

/** What the worker responds to each request. */
export interface WorkerResponses {
  readonly read: {
    readonly inputs: readonly InputView[];
    readonly formats: readonly FormatChoice[];
  };
  readonly cancel: undefined;
  readonly examine: Examination;
  readonly messages: readonly MessageView[];
  readonly output: { readonly file: Blob; readonly extension: "json" | "jsonl" };
  readonly original: { readonly history: unknown; readonly format: Format };
  readonly rules: readonly RuleView[];
}

/** A format that the person may choose, and its providers. */
export interface FormatChoice {
  readonly format: Format;
  readonly providers: readonly string[];
}

/** A request with its number. */
export type WorkerRequest<Type extends keyof Requests> = Requests[Type] & { readonly type: Type; readonly id: number };

/** What the worker sends. */
export type Message =
  | { readonly type: "ready" }
  /** A part of the code could not be loaded. */
  | { readonly type: "not-loaded" }
  | { readonly type: "progress"; readonly share: number }
  | { readonly type: "response"; readonly id: number; readonly value: unknown }
  | { readonly type: "failure"; readonly id: number; readonly message: string };
