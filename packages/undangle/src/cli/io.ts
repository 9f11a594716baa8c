/** The world as a command sees it: whatever it reads, writes or asks goes through here, so that a test needs no process. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly files: Files;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the program was started. */
  readonly folder: string;
  /** Where a person sits, with a terminal that can move its cursor; undefined in a pipe. */
  readonly terminal: Terminal | undefined;
  readonly version: string;
  /** How many characters a text can have at most. */
  readonly longestText: number;
  /** Milliseconds since some point in the past. */
  now(): number;
  /**
   * Resolves when the program is told to end, by a person or by the system, to the exit code that says so; from now on that does
   * not end it by itself, unless it is told twice.
   */
  untilStopped(): Promise<number>;
}

export interface Input {
  readonly isTTY: boolean;
  read(): AsyncIterable<Uint8Array>;
  /** Nothing more is read: whoever waits for more does not keep the program from ending. */
  close(): void;
}

export interface Output {
  readonly isTTY: boolean;
  readonly columns: number;
  /** Resolves when there is room for more; rejects with the code EPIPE when nobody reads any longer. */
  write(data: string | Uint8Array): Promise<void>;
  /** Writes a text in place of the line that the cursor is in. */
  replaceLine(text: string): Promise<void>;
}

/** A person's terminal, key by key. */
export interface Terminal {
  readonly columns: number;
  readonly rows: number;
  /** Whether it breaks lines anew when it becomes narrower; others cut them off. */
  readonly reflows: boolean;
  write(text: string): void;
  /** Takes the keyboard: from now on the keys are the listener's, also Ctrl-C. */
  take(listener: TerminalListener): void;
  /** Gives it back, as it was. */
  release(): void;
  /**
   * Lets a person write a text with the program that they have named for that, opened at a line; undefined when they have named
   * none. The keyboard has to be given back before.
   */
  edit(text: string, options: { readonly name: string; readonly line: number }): Promise<string | undefined>;
}

export interface TerminalListener {
  typed(text: string): void;
  resized(): void;
  /** There is no terminal any more, or the program is told to end. */
  ended(): void;
}

/** What commands do with files. Failures reject with the system's error, which has a `code` such as ENOENT. */
export interface Files {
  read(path: string): AsyncIterable<Uint8Array>;
  /** The size in bytes; undefined where that cannot be said, of a pipe for instance. */
  size(path: string): Promise<number | undefined>;
  /** True when both names lead to one file. */
  isSame(one: string, other: string): Promise<boolean>;
  /** Begins to write a file that takes its place all at once, on commit. */
  replace(path: string, options: { readonly keepBackup: boolean }): Promise<Replacement>;
}

/** A file that is being written beside the one it replaces. */
export interface Replacement {
  write(data: Uint8Array): Promise<void>;
  /** Puts the new file in place, with the mode of the old one; the name of the backup, where one was asked for. */
  commit(): Promise<{ readonly backup: string | undefined }>;
  /** Leaves everything as it was. */
  discard(): Promise<void>;
}
