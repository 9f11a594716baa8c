import type { NoticeRequest } from "#codecs";
import type { Edit } from "#core";

/** Returns the notice for a call without a result. */
export type NoticeText = (call: NoticeRequest) => string | Promise<string>;

/** How the notices of a run are worded. `patchToolCalls` finds it in the context of its hooks. */
export interface RunNotices {
  /** Sets the wording for calls whose results hooks remove from requests. */
  readonly use: (text: NoticeText) => void;
  /** The wording in use. Undefined for the default one. */
  readonly current: () => NoticeText | undefined;
  /** Remembers what the model was shown for a call, so that the history shows the same. */
  readonly remember: (callId: string, text: string) => void;
  /** Emits the repairs of a request. */
  readonly report: (edits: readonly Edit[]) => void;
}

/** The key of a hook context under which middleware of this package finds the notices. It is not public. */
export const runNotices: unique symbol = Symbol("notices of the run");

/** The notices of the run that a hook is called in. Undefined for a context that the engine did not create. */
export const noticesIn = (context: object): RunNotices | undefined =>
  (context as { readonly [runNotices]?: RunNotices })[runNotices]; // set by the engine

export function createRunNotices(shown: Map<string, string>, report: (edits: readonly Edit[]) => void): RunNotices {
  let text: NoticeText | undefined;
  return {
    use(given) {
      text = given;
    },
    current: () => text,
    remember: (callId, given) => void shown.set(callId, given),
    report,
  };
}
