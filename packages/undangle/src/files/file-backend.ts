import type { ThreadFiles } from "#engine";

/**
 * Where the files of an agent are: in its thread, on a disk, in the store, in a sandbox. The caller passes canonical
 * paths (`canonicalPath`): absolute, without `.`, `..` and empty segments. `/` is the root of the backend.
 *
 * Methods throw an `UndangleError` whose code starts with `file/` for what a caller can cause: a missing file, a
 * directory in place of a file, a file that is too large. Its message names the given path, never a path of the host.
 */
export interface FileBackend {
  /** The file or directory at a path; undefined if there is none. A symbolic link is described itself. */
  stat(path: string): Promise<FileInfo | undefined>;
  /** The direct children of a directory, sorted by path. `file/missing`, `file/not-directory`. */
  list(path: string): Promise<readonly FileInfo[]>;
  /** The content of a file. `file/missing`, `file/is-directory`, `file/too-large`. */
  read(path: string): Promise<Uint8Array>;
  /** Creates or replaces a file, and creates the directories above it. `file/is-directory`, `file/not-directory`. */
  write(path: string, data: Uint8Array): Promise<WrittenFile>;
  /**
   * Replaces the content of an existing file by what `change` makes of it. Updates of one file run one after the other.
   * If `change` throws, the file stays as it is.
   */
  update(path: string, change: (data: Uint8Array) => Uint8Array): Promise<void>;
  /** Deletes a file, a link, or a directory with everything in it. `file/missing`. Without it, nothing can be deleted. */
  delete?(path: string): Promise<DeletedFiles>;
  /** The files that match a pattern, sorted by path. The caller limits the time by `signal`. */
  glob(query: GlobQuery): Promise<GlobResult>;
  /** The lines that match a pattern, by file, sorted by path. The caller limits the time by `signal`. */
  grep(query: GrepQuery): Promise<GrepResult>;
  /**
   * The one path of what `read`, `write` and `list` use at a path: without symbolic links, also in directories above it.
   * What does not exist keeps its name. Permission rules judge both paths. Without it, every file has one path.
   */
  realPath?(path: string): Promise<string>;
  /** Runs a shell command. Only a sandbox can. */
  execute?(command: string, options: ExecuteOptions): Promise<Execution>;
  /** False if `execute` cannot run commands on this machine. Without this method, it can. */
  canExecute?(): Promise<boolean>;
  /** False if commands cannot see anything in a directory. Without it, they are assumed to see all files. */
  shellSees?(directory: string): boolean;
}

/** A backend that runs commands. */
export interface Sandbox extends FileBackend {
  execute(command: string, options: ExecuteOptions): Promise<Execution>;
}

export interface FileInfo {
  readonly path: string;
  readonly type: "file" | "directory" | "link";
  /** In bytes; undefined for a directory. Results of `glob` may lack it and the times. */
  readonly size?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt?: number | undefined;
  readonly modifiedAt?: number | undefined;
}

export interface WrittenFile {
  /** False if a file was replaced. */
  readonly isCreated: boolean;
}

export interface DeletedFiles {
  /** The number of deleted files and links. */
  readonly files: number;
  /** What could not be deleted, one sentence each. */
  readonly failures?: readonly string[] | undefined;
}

export interface GlobQuery {
  /**
   * Without `/`, it matches the name at any depth; else the path relative to `path`. A leading `/` anchors it to the
   * root of the backend. Names that begin with a dot match only a pattern that begins with one.
   */
  readonly pattern: string;
  /** The directory to search. */
  readonly path: string;
  /** False for paths to leave out. It is asked for directories before they are entered. */
  readonly isVisible?: ((path: string) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface GlobResult {
  readonly files: readonly FileInfo[];
  /** What could not be searched, one sentence each. */
  readonly failures: readonly string[];
}

export interface GrepQuery {
  /** Literal text, or a regular expression if `isRegex`. */
  readonly pattern: string;
  readonly isRegex: boolean;
  /** The file or directory to search. */
  readonly path: string;
  /** Limits the search to files that match, relative to `path`. */
  readonly glob?: string | undefined;
  /** Lines to show before and after each match. */
  readonly context: number;
  /** The largest number of matches. */
  readonly maxCount: number;
  readonly isVisible?: ((path: string) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface GrepResult {
  readonly files: readonly GrepFile[];
  /** True if there are more matches than `maxCount`. */
  readonly isCut: boolean;
  /** The number of files that may match and were skipped because they are not text. */
  readonly skipped: number;
  /** What could not be searched, one sentence each. */
  readonly failures: readonly string[];
}

export interface GrepFile {
  readonly path: string;
  /** The number of matching lines in `lines`. */
  readonly count: number;
  readonly lines: readonly GrepLine[];
}

export interface GrepLine {
  /** From 1. Only `\n`, `\r\n` and `\r` end a line. */
  readonly number: number;
  /** Without its end, and at most 2,000 characters. */
  readonly text: string;
  /** False for a line that is shown as context. */
  readonly isMatch: boolean;
}

export interface ExecuteOptions {
  /** In milliseconds. The default of the backend if undefined. */
  readonly timeout?: number | undefined;
  readonly signal: AbortSignal;
  /** At most this many bytes of output are returned: the first and the last half. */
  readonly maxOutput?: number | undefined;
}

export interface Execution {
  /** The output of the command, standard output and error in the order in which they arrived. */
  readonly output: Uint8Array;
  /** How many bytes of the output were left out, between the first and the last half. */
  readonly omitted: number;
  /** Undefined if the command was killed. */
  readonly exitCode: number | undefined;
  /** Why the command was killed. */
  readonly killed?: "timeout" | "stopped" | "memory" | undefined;
}

/** Who uses a backend. A factory gets it for each tool call, and for each request to the model (without `callId`). */
export interface FilesContext {
  readonly threadId: string;
  readonly callId?: string | undefined;
  readonly agent: { readonly name: string | undefined; readonly model: string };
  readonly signal: AbortSignal;
  /** The files of the thread, for `stateFiles`. */
  readonly files: ThreadFiles;
}

/** A backend, or a function that gives one for each use. */
export type FileBackendSource = FileBackend | ((context: FilesContext) => FileBackend | Promise<FileBackend>);
