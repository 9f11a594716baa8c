import type { AnomalyKind, AssembledTurn, EditType, Format, RuleId, StreamFormat } from "undangle";

import type { Found, JsonPlace, Place } from "../input/found.ts";
import type { FileFault } from "./read-file.ts";

/** What an input contains, for a list of choices. */
export interface InputView extends Place {
  readonly type: Found["type"];
  /** The number of messages of a history. */
  readonly messages?: number;
  /** The number of problems of a history. Undefined if it was not checked. */
  readonly problems?: number;
}

/** The report about one thing of an input. Texts are in the language that was requested. */
export type Examination = HistoryReport | StreamReport | ErrorReport | NotJsonReport | RefusalReport | NoticeReport;

export interface HistoryReport {
  readonly type: "history";
  readonly format: Format;
  /** False if the person chose the format. */
  readonly isDetected: boolean;
  /** The provider whose rules apply. Undefined: that of the format. */
  readonly provider: string | undefined;
  /** True if the address or the model shows it. */
  readonly isProviderDetected: boolean;
  /** Where the input is not JSON. */
  readonly fault?: JsonPlace & { readonly sentence: string };
  readonly model: string | undefined;
  readonly messages: number;
  readonly problems: readonly ProblemView[];
  readonly problemCount: number;
  /** The number of problems that remain after the repair. */
  readonly left: number;
  readonly rules: readonly RuleCount[];
  readonly edits: readonly EditView[];
  readonly editCount: number;
  readonly lossy: number;
  readonly before: readonly Segment[];
  readonly after: readonly Segment[];
}

export interface ProblemView {
  readonly rule: RuleId;
  readonly title: string;
  readonly path: string;
  /** In English, the sentence of the library; in Chinese, the call. Empty if the title states everything. */
  readonly message: string;
  readonly isRepairable: boolean;
  readonly isLikely: boolean;
  /** The message that it is in; undefined outside the messages. */
  readonly index: number | undefined;
}

/** A rule that a history breaks. */
export interface RuleCount {
  readonly rule: RuleId;
  readonly title: string;
  readonly why: string;
  readonly fix: string;
  readonly count: number;
  readonly isRepairable: boolean;
  /** A recorded error of a provider about another request. */
  readonly error: string | undefined;
}

export interface EditView {
  readonly rule: RuleId;
  readonly title: string;
  readonly fix: string;
  readonly type: EditType;
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Indented JSON, shortened; empty if there is none. */
  readonly before: string;
  readonly after: string;
  readonly isLossless: boolean;
  readonly isReconstructed: boolean;
  /** A recorded error of a provider about another request, such as the edit avoids. */
  readonly error: string | undefined;
  /** The messages that it concerns, in the input and in the output. */
  readonly fromIndex: number | undefined;
  readonly toIndex: number | undefined;
}

/** Messages that are shown, or a number of messages that are folded. */
export type Segment =
  | { readonly type: "messages"; readonly messages: readonly MessageView[] }
  | { readonly type: "fold"; readonly from: number; readonly count: number };

export interface MessageView {
  readonly index: number;
  /** The role or the type. */
  readonly label: string;
  /** One line. */
  readonly preview: string;
  readonly lines: readonly JsonLine[];
  readonly isMarked: boolean;
}

export interface JsonLine {
  readonly depth: number;
  readonly text: string;
  /** True at the place of a problem or an edit. */
  readonly isMarked: boolean;
}

export interface StreamReport {
  readonly type: "stream";
  readonly format: StreamFormat;
  readonly frames: number;
  readonly turns: readonly TurnView[];
}

export interface TurnView extends Pick<
  AssembledTurn,
  "text" | "reasoning" | "calls" | "finish" | "complete" | "error"
> {
  readonly anomalies: readonly {
    readonly kind: AnomalyKind;
    readonly text: string;
    readonly call: number | undefined;
    readonly frame: number | undefined;
  }[];
}

export interface ErrorReport {
  readonly type: "error-text";
  readonly text: string;
  /** True if it reports that the conversation exceeds the context window. */
  readonly isTooLong: boolean;
  readonly explanations: readonly (Omit<RuleCount, "count" | "isRepairable" | "error"> & {
    readonly confidence: "known" | "likely" | "nearest";
  })[];
}

export type NotJsonReport = JsonPlace & { readonly type: "not-json"; readonly sentence: string };

/** The library refuses the input; the person may choose a format. */
export interface RefusalReport {
  readonly type: "refusal";
  readonly message: string;
  readonly mayChooseFormat: boolean;
}

/** Nothing that can be examined. */
export interface NoticeReport {
  readonly type: "notice";
  readonly notice: "blank" | "no-messages" | "session" | "exported" | FileFault;
  /** The agent that wrote a session. */
  readonly detail?: string;
  readonly mayChooseFormat: boolean;
}

/** A rule with everything that is known about it. */
export interface RuleView {
  readonly rule: RuleId;
  readonly title: string;
  readonly why: string;
  readonly fix: string;
  readonly statement: string;
  readonly lossless: boolean | "partly";
  readonly cases: readonly {
    readonly format: string;
    readonly provider: string | undefined;
    readonly statement: string;
    readonly errors: readonly string[];
    readonly source: string;
  }[];
}
