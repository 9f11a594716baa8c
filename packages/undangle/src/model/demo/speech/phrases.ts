import type { Cause } from "#core";

/** All that the demo model says, in one language. */
export interface Phrases {
  /** Between two sentences of a paragraph. */
  readonly space: string;
  readonly hello: string;
  readonly whoIAm: (who: string | undefined) => string;
  readonly tools: (lines: readonly string[], more: number) => string;
  readonly tool: (name: string, description: string) => string;
  readonly noTools: string;
  readonly noToolFits: (gist: string) => string;
  readonly youSaid: (gist: string) => string;
  readonly onlyTwoLanguages: string;
  /** Parts of a message that no tool is for. */
  readonly unmet: (parts: readonly string[]) => string;
  /** What a tool said before. */
  readonly recalled: (name: string, text: string) => string;
  readonly howToAsk: string;
  readonly welcome: string;
  readonly goodbye: string;
  readonly dismissed: string;
  readonly media: (count: number) => string;
  readonly nothingNew: string;
  readonly nothingLeft: string;
  readonly calling: (names: readonly string[], isNext: boolean) => string;
  readonly finalAnswer: string;
  readonly madeUp: (values: readonly (readonly [name: string, value: string])[]) => string;
  /** Something that was said, and that a tool has no place for. */
  readonly leftOut: (name: string, said: string) => string;
  /** Arguments that are as in a call before. */
  readonly carried: (values: readonly (readonly [name: string, value: string])[]) => string;
  /** What was made up of the final answer. */
  readonly unfound: (values: readonly (readonly [name: string, value: string])[]) => string;
  readonly unfillable: (name: string, parameter: string | undefined, said: string | undefined) => string;
  readonly toolsAreOff: (names: readonly string[]) => string;
  readonly enough: string;
  readonly retry: (name: string, problem: string, values: string) => string;
  readonly left: (names: readonly string[]) => string;
  readonly succeeded: (name: string, text: string) => string;
  readonly emptyResult: (name: string) => string;
  readonly mediaResult: (name: string, count: number) => string;
  readonly time: (text: string) => string;
  readonly failed: (name: string, text: string) => string;
  readonly rejected: (name: string, reason: string | undefined) => string;
  /** Calls of which nothing is told, because they are so many. */
  readonly untold: (count: number) => string;
  readonly alternative: (parameters: readonly string[]) => string;
  readonly notices: Readonly<Record<Exclude<Cause, "rejected">, (name: string) => string>>;
  readonly folded: (text: string, length: number) => string;
  readonly pair: (name: string, value: string) => string;
  readonly pairs: (pairs: readonly string[]) => string;
  readonly stop: string;
}
