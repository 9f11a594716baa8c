import { createHash } from "node:crypto";

import { comparablePath } from "#files";

/** What the middleware keeps in each thread. */
export interface FilesystemState {
  /** The content of files when they were last read or written, as a hash, by path. Only with `mustRead`. */
  readonly read?: Readonly<Record<string, string>>;
  /** The files of large user messages, by the hash of their text. */
  readonly messages?: Readonly<Record<string, string>>;
  /** The stored results, the oldest first. Only with `keep`. */
  readonly results?: readonly StoredResult[];
}

export interface StoredResult {
  readonly path: string;
  readonly bytes: number;
}

export type FilesystemUpdate =
  | { readonly type: "read"; readonly path: string; readonly hash: string }
  | { readonly type: "message"; readonly hash: string; readonly path: string }
  | { readonly type: "stored"; readonly result: StoredResult }
  | { readonly type: "removed"; readonly paths: readonly string[] };

export const emptyState: FilesystemState = {};

export function reduceState(state: FilesystemState, update: FilesystemUpdate): FilesystemState {
  switch (update.type) {
    case "read":
      return { ...state, read: { ...state.read, [comparablePath(update.path)]: update.hash } };
    case "message":
      return { ...state, messages: { ...state.messages, [update.hash]: update.path } };
    case "stored": {
      const others = (state.results ?? []).filter(({ path }) => path !== update.result.path);
      return { ...state, results: [...others, update.result] };
    }
    default:
      return { ...state, results: (state.results ?? []).filter(({ path }) => !update.paths.includes(path)) };
  }
}

/** Identifies a content. */
export const hashOf = (content: Uint8Array | string): string =>
  createHash("sha256").update(content).digest("hex").slice(0, 32);
