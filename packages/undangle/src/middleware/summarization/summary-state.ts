import type { EntryRef } from "#engine";

/** What the middleware keeps in each thread. The thread itself keeps all its messages. */
export interface SummaryState {
  readonly boundary?: Boundary;
  /**
   * Results that are shortened because the provider refused the length of the request, by entry and place (`12.0`), with
   * the file of the whole result, or null if there is none.
   */
  readonly clipped?: Readonly<Record<string, string | null>>;
  /** True if the model has asked for a summary that is not written yet. */
  readonly isRequested?: boolean;
}

/** The place up to which a summary replaces messages. */
export interface Boundary {
  /** The last entry that is replaced. */
  readonly after: EntryRef;
  /** The message of the user that is kept, if it is before that place. */
  readonly user?: EntryRef;
  /** Not set if none could be written: then older messages are only left out. */
  readonly summary?: string;
  /** The files with the text of the replaced messages. The last one grows. */
  readonly files: readonly HistoryFile[];
  /** What other middleware want the model to know. */
  readonly notes: readonly string[];
}

export interface HistoryFile {
  readonly path: string;
  /** Its length. What follows was written by a process that died before it saved the boundary. */
  readonly bytes: number;
}

export type SummaryUpdate =
  | { readonly type: "summary"; readonly boundary: Boundary }
  /** The thread does not contain what the summary is about: it is a fork from before that. */
  | { readonly type: "forget" }
  | { readonly type: "clip"; readonly results: Readonly<Record<string, string | null>> }
  | { readonly type: "request"; readonly isRequested: boolean };

export const emptyState: SummaryState = {};

export function reduceState(state: SummaryState, update: SummaryUpdate): SummaryState {
  switch (update.type) {
    case "summary": {
      const { boundary } = update;
      if ((state.boundary?.after.number ?? -1) > boundary.after.number) return state; // a parallel call went further
      const left = Object.entries(state.clipped ?? {}).filter(
        ([place]) => Number.parseInt(place, 10) > boundary.after.number,
      );
      return { boundary, ...(left.length > 0 && { clipped: Object.fromEntries(left) }) };
    }
    case "forget":
      return emptyState;
    case "clip":
      return { ...state, clipped: { ...state.clipped, ...update.results } };
    default:
      return { ...state, isRequested: update.isRequested };
  }
}
