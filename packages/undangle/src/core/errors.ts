/** What every error code carries. One line here is all it takes to add an error: the compiler and the docs test name the rest. */
export interface ErrorData {
  "input/not-json": { readonly line?: number; readonly column?: number; readonly near?: string };
  "input/no-messages": { readonly keys: readonly string[]; readonly expected: readonly string[] };
  "input/shape": { readonly path: string; readonly expected: string; readonly got: string };
  "input/cyclic": { readonly path: string };
  "input/too-deep": { readonly path: string };
  "format/unknown": { readonly keys: readonly string[] };
  "format/ambiguous": { readonly candidates: readonly string[] };
  "format/unsupported": { readonly format: string; readonly supported: readonly string[] };
  "options/unknown": { readonly option: string; readonly allowed: readonly string[] };
  "options/value": { readonly option: string; readonly value: unknown; readonly allowed: readonly string[] };
  "notice/promise": { readonly callId: string };
  "store/conflict": Retry & { readonly threadId: string; readonly expected: number; readonly actual: number };
  "store/stale": Retry & { readonly key: string; readonly expected: number; readonly actual: number };
  "store/busy": Retry & { readonly path: string };
  "store/full": Retry & { readonly path: string };
  "store/corrupt": Retry & { readonly path: string };
  "store/newer": Retry & { readonly path: string; readonly found: number; readonly known: number };
  "store/closed": Retry & { readonly path: string };
  "store/path": Retry & { readonly path: string; readonly reason: PathReason };
  "store/failed": Retry & { readonly path: string; readonly reason: string };
  "tool/name": { readonly name: unknown };
  "tool/schema": { readonly tool: string; readonly reason: string };
  "tool/duplicate": { readonly name: string; readonly places: readonly [first: string, second: string] };
  "decision/refused": { readonly problems: readonly { readonly callId: string; readonly problem: string }[] };
  "decision/none": { readonly threadId: string };
  "allowance/unknown": { readonly id: unknown; readonly scope: "thread" | "agent"; readonly known: readonly string[] };
  "thread/busy": { readonly threadId: string; readonly calls: readonly string[] };
  "thread/owned": { readonly threadId: string; readonly owner: string };
  "thread/deleted": { readonly threadId: string };
  "thread/empty": { readonly threadId: string };
  "thread/exists": { readonly threadId: string };
  "thread/no-original": { readonly threadId: string };
  "thread/entry": { readonly threadId: string; readonly at: unknown; readonly entries: number };
  "run/limit": { readonly limit: string; readonly value: number };
  "run/crashed": { readonly owner: string };
  "run/failed": { readonly message: string };
  "model/failed": { readonly model: string; readonly message: string };
  "model/faulty": { readonly answers: number };
  "output/missing": { readonly asked: number };
  "middleware/duplicate": { readonly name: string; readonly places: readonly [first: string, second: string] };
  "middleware/stateless": { readonly name: string };
  "hook/failed": { readonly middleware: string; readonly hook: string; readonly message: string };
}

/** Whether the same can succeed when it is tried again later. */
interface Retry {
  readonly canRetry: boolean;
}

/** Why a store cannot use a path. */
type PathReason = "no-folder" | "is-folder" | "not-allowed" | "moved" | "unknown";

export type ErrorCode = keyof ErrorData;

/** The one error class: `code` says what happened, `is()` narrows `data` by it, and `message` says what to do. */
export class UndangleError extends Error {
  static {
    Object.defineProperty(this, "name", { value: "UndangleError" }); // also where names were made short
  }

  readonly code: ErrorCode;
  readonly data: ErrorData[ErrorCode];

  constructor(
    ...[code, data, cause]: { [Code in ErrorCode]: [code: Code, data: ErrorData[Code], cause?: unknown] }[ErrorCode]
  ) {
    super(sentence(code, data), cause === undefined ? undefined : { cause });
    this.name = "UndangleError";
    this.code = code;
    this.data = data;
  }

  /** True when this is the error with that code; `data` is then what the code carries. */
  is<Code extends ErrorCode>(code: Code): this is { readonly code: Code; readonly data: ErrorData[Code] } {
    return this.code === code;
  }
}

/** The sentence of an error, from its row in the table. */
function sentence<Code extends ErrorCode>(code: Code, data: ErrorData[Code]): string {
  return sentences[code](data);
}

/** A value as an error may show it, whatever it is. */
function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  return typeof value === "object" && value !== null
    ? `an ${Array.isArray(value) ? "array" : "object"}`
    : String(value);
}

const pathReasons: Readonly<Record<PathReason, string>> = {
  "no-folder": "its folder does not exist. Create the folder first",
  "is-folder": "it is a folder. Give the path of a file",
  "not-allowed": "the process may not read and write the file, or its folder. Change their permissions",
  moved: "the file was moved or deleted while it was open. Put it back, or open the store again",
  unknown: "the system refuses it. The cause says more",
};

const list = (values: readonly unknown[]): string => values.map(String).join(", ");

/** The sentence of each code, written for the person who has to act on it. */
export const sentences: { readonly [Code in ErrorCode]: (data: ErrorData[Code]) => string } = {
  "input/not-json": ({ line, column, near }) =>
    `The input is not valid JSON${line === undefined ? "" : ` (line ${line}, column ${column ?? 1})`}${near === undefined ? "" : `, near ${near}`}.`,
  "input/no-messages": ({ keys, expected }) =>
    `There is no message list in the input: expected an array of messages, or an object with ${expected.join(" or ")}; found ${keys.length === 0 ? "no keys" : `the keys ${list(keys)}`}.`,
  "input/shape": ({ path, expected, got }) => `${path} must be ${expected}, but it is ${got}.`,
  "input/cyclic": ({ path }) => `The input refers to itself at ${path}; no provider can be sent a cyclic value.`,
  "input/too-deep": ({ path }) => `The input is nested too deeply at ${path} to be written as JSON.`,
  "format/unknown": ({ keys }) =>
    `The format cannot be told from the input${keys.length === 0 ? "" : ` (keys ${list(keys)})`}; say which with the option format.`,
  "format/ambiguous": ({ candidates }) =>
    `The input fits several formats (${list(candidates)}) and their repairs differ; say which with the option format.`,
  "format/unsupported": ({ format, supported }) =>
    `Unknown format ${JSON.stringify(format)}. Known formats: ${list(supported)}.`,
  "options/unknown": ({ option, allowed }) =>
    `Unknown option ${JSON.stringify(option)}. Known options: ${list(allowed)}.`,
  "options/value": ({ option, value, allowed }) =>
    `${show(value)} is not a value of the option ${option}. Allowed: ${list(allowed)}.`,
  "notice/promise": ({ callId }) =>
    `The notice generator returned a promise for the call ${callId}; use repairAsync() for generators that are asynchronous.`,
  "store/conflict": ({ threadId, expected, actual }) =>
    `The thread ${show(threadId)} was changed by somebody else: expected version ${expected}, found ${actual}. Read it again before writing to it; nothing was saved.`,
  "store/stale": ({ key, expected, actual }) =>
    `What the store keeps as ${show(key)} was changed by somebody else: expected version ${expected}, found ${actual}. Read it again before writing it; nothing was saved.`,
  "store/busy": ({ path }) =>
    `The database ${path} was locked by another process for longer than busyTimeout. Nothing was saved; try again.`,
  "store/full": ({ path }) =>
    `The database ${path} cannot be written: the disk is full, or a quota is used up. Nothing was saved; make room and try again.`,
  "store/corrupt": ({ path }) =>
    `${path} is not a database of SQLite, or it is damaged. It was left as it is; give another path, or restore it from a copy.`,
  "store/newer": ({ path, found, known }) =>
    `The database ${path} is of a later version of undangle: its tables have version ${found}, and this one knows ${known}. Update undangle; nothing was changed.`,
  "store/closed": ({ path }) => `The store ${path} is closed. Open a new one.`,
  "store/path": ({ path, reason }) => `The database ${path} cannot be used: ${pathReasons[reason]}.`,
  "store/failed": ({ path, reason, canRetry }) =>
    `The database ${path} failed: ${reason}.${canRetry ? " Try again." : ""}`,
  "tool/name": ({ name }) =>
    `${show(name)} cannot be the name of a tool: providers take letters (a to z), digits, _ and -, at most 64 of them.`,
  "tool/schema": ({ tool, reason }) => `The input of the tool ${tool} cannot be used: ${reason}.`,
  "tool/duplicate": ({ name, places: [first, second] }) =>
    `Two tools are called ${name}: ${first} and ${second}. A model could not tell them apart; rename one.`,
  "decision/refused": ({ problems }) =>
    `Nothing was decided: ${problems.map(({ callId, problem }) => `${callId}: ${problem}`).join("; ")}.`,
  "decision/none": ({ threadId }) => `No call of the thread ${show(threadId)} waits for a decision.`,
  "allowance/unknown": ({ id, scope, known }) =>
    `There is no allowance ${show(id)} of the ${scope}; there ${known.length === 0 ? "are none" : `are: ${list(known)}`}. What holds for a thread is revoked by thread.revoke(), and what holds for all of an agent by agent.revoke().`,
  "thread/busy": ({ threadId, calls }) =>
    `The thread ${show(threadId)} is busy${calls.length === 0 ? "" : ` with ${list(calls)}`}: decide, stop or wait first.`,
  "thread/owned": ({ threadId, owner }) =>
    `The thread ${show(threadId)} is being run by another process (${owner}); try again when its run is over.`,
  "thread/deleted": ({ threadId }) => `The thread ${show(threadId)} is deleted; restore it to go on with it.`,
  "thread/empty": ({ threadId }) =>
    `There is nothing to answer in the thread ${show(threadId)}: nobody has said anything. Send a message.`,
  "thread/exists": ({ threadId }) =>
    `The thread ${show(threadId)} has something in it, and an exported thread becomes a new one: import it under another id.`,
  "thread/no-original": ({ threadId }) =>
    `The thread ${show(threadId)} was not imported, so that there is no original: export it in a format.`,
  "thread/entry": ({ threadId, at, entries }) =>
    `The thread ${show(threadId)} has ${entries} entries, numbered from 0: there is no entry ${show(at)} to fork it at.`,
  "run/limit": ({ limit, value }) => `The run has reached its limit of ${value} (limits.${limit}).`,
  "run/crashed": ({ owner }) => `The process that ran it (${owner}) ended in the middle of it.`,
  "run/failed": ({ message }) => `The run could not go on: ${message}`,
  "model/failed": ({ model, message }) => `The model ${model} could not answer: ${message}`,
  "model/faulty": ({ answers }) =>
    `The model made only calls that cannot be executed, ${answers} answers in a row (limits.faulty).`,
  "output/missing": ({ asked }) => `The model gave no answer in the form that was asked for, after ${asked} reminders.`,
  "middleware/duplicate": ({ name, places: [first, second] }) =>
    `Two middleware are called ${name}: ${first} and ${second}. Their names tell them apart in errors and in what they keep; rename one.`,
  "middleware/stateless": ({ name }) =>
    `The middleware ${name} declares no state to read or update: give it { state: { initial } }.`,
  "hook/failed": ({ middleware, hook, message }) =>
    `The hook ${hook} of the middleware ${middleware} failed: ${message}`,
};
