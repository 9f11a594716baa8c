/** The environment of a command. All input and output goes through it, so tests need no process. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly files: Files;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory. */
  readonly folder: string;
  /** The user's terminal, if it supports cursor movement; undefined in a pipe. */
  readonly terminal: Terminal | undefined;
  readonly version: string;
  /** The longest string, in characters. */
  readonly longestText: number;
  /** Milliseconds since an arbitrary time. */
  now(): number;
  /**
   * Resolves to the exit code when the user or the system stops the program. After the call, only a second stop ends
   * the process by itself.
   */
  untilStopped(): Promise<number>;
}

export interface Input {
  readonly isTTY: boolean;
  read(): AsyncIterable<Uint8Array>;
  /** Stops reading, so that a pending read does not keep the process alive. */
  close(): void;
}

export interface Output {
  readonly isTTY: boolean;
  readonly columns: number;
  /** Resolves when there is room for more. Rejects with EPIPE when the reader is gone. */
  write(data: string | Uint8Array): Promise<void>;
  /** Replaces the line of the cursor. */
  replaceLine(text: string): Promise<void>;
}

/** A terminal in raw mode. */
export interface Terminal {
  readonly columns: number;
  readonly rows: number;
  /** True if the terminal rewraps lines when it becomes narrower; others cut them off. */
  readonly reflows: boolean;
  write(text: string): void;
  /** Takes over the keyboard, including Ctrl-C. */
  take(listener: TerminalListener): void;
  /** Restores the terminal. */
  release(): void;
  /**
   * Edits a text at a line in the user's editor; undefined if no editor is set. The terminal must be released first.
   */
  edit(text: string, options: { readonly name: string; readonly line: number }): Promise<string | undefined>;
}

export interface TerminalListener {
  typed(text: string): void;
  resized(): void;
  /** The terminal closed, or the program was told to stop. */
  ended(): void;
}

/** File operations of commands. Failures reject with the system error, whose `code` is for example ENOENT. */
export interface Files {
  read(path: string): AsyncIterable<Uint8Array>;
  /** The size in bytes; undefined if it is unknown, for example for a pipe. */
  size(path: string): Promise<number | undefined>;
  /** True if both paths lead to the same file. */
  isSame(one: string, other: string): Promise<boolean>;
  /** Starts to write a file that replaces another atomically on commit. */
  replace(path: string, options: { readonly keepBackup: boolean }): Promise<Replacement>;
}

/** A temporary file beside the file that it replaces. */
export interface Replacement {
  write(data: Uint8Array): Promise<void>;
  /** Replaces the file and keeps its mode. Returns the name of the backup, if requested. */
  commit(): Promise<{ readonly backup: string | undefined }>;
  discard(): Promise<void>;
}
