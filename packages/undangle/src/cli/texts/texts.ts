import type { AnomalyKind, AssembledCall, EditType, ErrorCode, ErrorData, Finish, RuleId, StreamFault } from "#core";
import type { JsonFault, RuleText } from "#report";

/** The texts about histories in one language. Rule ids, paths and keys are not translated. */
export interface Texts {
  readonly rules: Readonly<Record<RuleId, RuleText>>;
  /** A problem. `message` is the English message of the library for this case. */
  problem(problem: { readonly rule: RuleId; readonly message: string; readonly callId?: string }): string;
  readonly likely: string;
  readonly unmendable: string;
  readonly edits: Readonly<Record<EditType, string>>;
  readonly lossy: string;
  readonly reconstructed: string;
  readonly faults: Readonly<Record<JsonFault, string>>;
  readonly sentences: { readonly [Code in ErrorCode]: (data: ErrorData[Code]) => string };
  notJson(fault: string): string;
  readonly notUtf8: string;
  tooLong(inLines: boolean): string;
  readonly maybeLines: string;
  noPath(path: string, reached: string, keys: readonly string[]): string;
  tryAt(path: string): string;
  readonly tryFormat: string;
  /** The same for a command that calls it `--from`. */
  readonly tryFrom: string;
  readonly oneMessage: string;
  readonly noInput: string;
  readonly passedOn: string;
  readonly systemErrors: Readonly<Record<string, string>>;
  /** An error that no part of the program expects. */
  unexpected(error: string): string;
  progress(state: { readonly read: number; readonly size: number | undefined; readonly documents: number }): string;
  healthy(count: Count): string;
  found(count: Count): string;
  mended(count: Count): string;
  nothingToMend(count: Count): string;
  /** The label of a loss. */
  readonly loss: string;
  converted(count: Pick<Count, "file" | "inLines" | "documents" | "problems">, to: string, losses: number): string;
  written(path: string, backup: string | undefined): string;
  unchanged(count: number): string;
  readonly doctor: DoctorTexts;
  readonly assemble: AssembleTexts;
  readonly explain: ExplainTexts;
}

/** What was read, and the outcome. `documents` counts the lines of JSON lines. */
export interface Count {
  readonly file: string;
  readonly inLines: boolean;
  readonly documents: number;
  /** Documents with a problem or an edit. */
  readonly touched: number;
  readonly problems: number;
  readonly edits: number;
  readonly lossy: number;
}

export interface DoctorTexts {
  messages(count: number): string;
  line(number: number): string;
  readonly healthy: string;
  verdict(problems: number, left: number): string;
  readonly why: string;
  readonly fix: string;
  readonly cannotMend: string;
  more(count: number): string;
  changes(edits: number): string;
  readonly lossless: string;
  someLost(count: number): string;
  readonly next: string;
  readonly inPlace: string;
  readonly copy: string;
  readonly healthyNext: string;
  readonly leftNext: string;
  moreLines(count: number): string;
  summary(count: Count): string;
}

export interface AssembleTexts {
  frames(count: number): string;
  choice(number: number): string;
  complete(unready: number): string;
  readonly incomplete: string;
  readonly finishes: Readonly<Record<Exclude<Finish, null> | "none", string>>;
  fault(fault: StreamFault): string;
  readonly text: string;
  readonly reasoning: string;
  readonly call: string;
  readonly generated: string;
  readonly states: Readonly<Record<AssembledCall["state"], string>>;
  more(characters: number): string;
  anomalies(count: number): string;
  /** `message` is the English message of the library. */
  anomaly(kind: AnomalyKind, message: string): string;
  /** The call and the frame of an anomaly, in brackets after its message. */
  place(places: readonly (readonly [kind: "call" | "frame", number: number])[]): string;
  /** In a trace: a frame without parts, and the end of the stream. */
  readonly nothing: string;
  readonly end: string;
  readonly tooLong: string;
  unknownFormat(isEmpty: boolean): string;
  readonly tryFormat: string;
}

export interface ExplainTexts {
  readonly noText: string;
  readonly unknown: string;
  readonly nearest: string;
  readonly why: string;
  readonly fix: string;
  readonly docs: string;
  inPackage(path: string): string;
  readonly unknownNext: string;
}
