import type { ContextOverflow } from "./context-overflow.ts";
import type { Language } from "./language.ts";

/** The data of every error code. Add a line to add an error; the compiler and the docs test report what is missing. */
export interface ErrorData {
  "input/not-json": { readonly line?: number; readonly column?: number; readonly near?: string };
  "input/no-messages": { readonly keys: readonly string[]; readonly expected: readonly string[] };
  "input/empty": { readonly messages: number };
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
  "store/missing": Retry & { readonly path: string };
  "store/foreign": Retry & { readonly path: string };
  "store/driver": Retry & { readonly path: string; readonly install: string };
  "tool/name": { readonly name: unknown };
  "tool/no-agent": { readonly tool: string };
  "tool/schema": { readonly tool: string; readonly reason: string };
  "tool/duplicate": { readonly name: string; readonly places: readonly [first: string, second: string] };
  "approval/unknown": {
    readonly option: string;
    readonly name: string;
    readonly known: readonly string[];
    readonly nearest?: string;
  };
  "decision/refused": { readonly problems: readonly DecisionProblem[]; readonly language: Language };
  "decision/none": { readonly threadId: string };
  "allowance/unknown": { readonly id: unknown; readonly scope: "thread" | "agent"; readonly known: readonly string[] };
  "thread/busy": { readonly threadId: string; readonly calls: readonly string[] };
  "thread/owned": { readonly threadId: string; readonly owner: string };
  "thread/deleted": { readonly threadId: string };
  "thread/unknown": { readonly threadId: string; readonly nearest?: string };
  "thread/empty": { readonly threadId: string };
  "thread/exists": { readonly threadId: string };
  "thread/child": { readonly threadId: string; readonly parent: string };
  "thread/no-original": { readonly threadId: string };
  "thread/entry": { readonly threadId: string; readonly at: unknown; readonly entries: number };
  "run/limit": { readonly limit: string; readonly value: number };
  "run/context-overflow": {
    readonly messages: number;
    /** An estimate. */
    readonly tokens: number;
    /** What the provider reported. */
    readonly message: string;
  };
  "run/loop": { readonly tool: string; readonly times: number };
  "run/crashed": { readonly owner: string };
  "run/failed": { readonly message: string };
  "model/failed": { readonly model: string; readonly message: string };
  "model/faulty": { readonly answers: number };
  "model/unknown": {
    readonly name: unknown;
    readonly suggestions: readonly string[];
    readonly known: readonly string[];
  };
  "model/rate-limit": ModelFault;
  "model/overloaded": ModelFault;
  "model/context-overflow": ModelFault & ContextOverflow;
  "model/content-filter": ModelFault;
  "model/auth": ModelFault & { readonly variables?: readonly string[] };
  "model/refused": ModelFault;
  "model/timeout": ModelFault & { readonly phase: "connect" | "first-byte" | "idle"; readonly after?: number };
  "model/unreachable": ModelFault;
  "output/missing": { readonly asked: number };
  "middleware/duplicate": { readonly name: string; readonly places: readonly [first: string, second: string] };
  "middleware/stateless": { readonly name: string };
  "middleware/reserved": { readonly name: string };
  "hook/failed": { readonly middleware: string; readonly hook: string; readonly message: string };
  "file/path": { readonly path: string; readonly reason: FilePathReason; readonly limit?: number };
  "file/missing": { readonly path: string };
  "file/is-directory": { readonly path: string };
  "file/not-directory": { readonly path: string };
  "file/outside": { readonly path: string };
  "file/denied": { readonly path: string; readonly operation: "read" | "write" };
  "file/too-large": { readonly path: string; readonly size: number; readonly limit: number };
  "file/read-only": { readonly path: string };
  "file/failed": { readonly path: string; readonly reason: string };
  "sandbox/unavailable": { readonly reason: string; readonly install: string };
  "config/missing": { readonly path: string };
  "config/load": { readonly place: string; readonly reason: string; readonly install?: string };
  "config/no-export": { readonly place: string };
  "config/key": Place & { readonly allowed: readonly string[]; readonly nearest?: string };
  "config/value": Place & { readonly value: unknown; readonly allowed: readonly string[] };
  "config/name": Place & Named & { readonly known: readonly string[]; readonly nearest?: string };
  "config/duplicate": Place & Named & { readonly first: string };
  "config/refused": Place & { readonly reason: string };
}

/** Whether a retry can succeed. */
interface Retry {
  readonly canRetry: boolean;
}

/** An error of a provider, with its message. */
interface ModelFault extends Retry {
  readonly model: string;
  readonly message: string;
  /** The HTTP status, if any. */
  readonly status?: number;
  /** The provider's id of the request, for its support. */
  readonly requestId?: string;
  /** Milliseconds to wait before a retry. */
  readonly retryAfter?: number;
}

/** A place in a config: FILE, FILE:LINE or FILE:LINE:COLUMN, and the key. */
interface Place {
  readonly place: string;
  readonly key: string;
}

interface Named {
  readonly kind: "agent" | "persona" | "tool" | "model";
  readonly name: string;
}

/** The reason why a path or a database cannot be used. */
type PathReason =
  | "no-folder"
  | "is-folder"
  | "no-file"
  | "not-allowed"
  | "moved"
  | "no-database"
  | "no-schema"
  | "no-login"
  | "no-rights"
  | "read-only"
  | "not-utf8"
  | "unknown";

/** Why a path cannot be used. */
type FilePathReason =
  | "empty"
  | "parent"
  | "home"
  | "drive"
  | "control-character"
  | "lone-surrogate"
  | "too-long"
  | "segment-too-long"
  | "other-spelling"
  | "not-canonical"
  | "root";

export type ErrorCode = keyof ErrorData;

/** A problem of a decision, in the language of the agent. */
interface DecisionProblem {
  readonly callId: string;
  readonly problem: string;
}

/** The only error class. `code` identifies the error, `is()` narrows `data`, and `message` states what to do. */
export class UndangleError extends Error {
  static {
    Object.defineProperty(this, "name", { value: "UndangleError" }); // also in minified code
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

  /** True for the error with that code; narrows `data`. */
  is<Code extends ErrorCode>(code: Code): this is { readonly code: Code; readonly data: ErrorData[Code] } {
    return this.code === code;
  }

  /** Includes the message, which JSON omits from other errors. */
  toJSON(): Pick<UndangleError, "name" | "code" | "message" | "data"> {
    const { name, code, message, data } = this;
    return { name, code, message, data };
  }
}

function sentence<Code extends ErrorCode>(code: Code, data: ErrorData[Code]): string {
  return sentences[code](data);
}

/** A readable value for an error. */
function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === "function") return "a function"; // its source would fill the screen
  return typeof value === "object" && value !== null
    ? `an ${Array.isArray(value) ? "array" : "object"}`
    : String(value);
}

/** The number of refused decisions that a message lists. The data of the error has all of them. */
const mostListed = 10;

/** The message of refused decisions, in the language of its problems. */
export const refusedDecisions: Readonly<Record<Language, (problems: readonly DecisionProblem[]) => string>> = {
  en: (problems) => {
    const more = problems.length - mostListed;
    const listed = problems.slice(0, mostListed).map(({ callId, problem }) => `${callId}: ${problem}`);
    return `Nothing was decided: ${listed.join("; ")}${more > 0 ? `; and ${more} more` : ""}.`;
  },
  zh: (problems) => {
    const more = problems.length - mostListed;
    const listed = problems.slice(0, mostListed).map(({ callId, problem }) => `${callId}：${problem}`);
    return `没有作出任何决定：${listed.join("；")}${more > 0 ? `；另有 ${more} 个` : ""}。`;
  },
};

/** The process id in the name of an owner, if it has one. */
export const processIn = (owner: string): string => /^[\da-f]+\/(\d+)\//u.exec(owner)?.[1] ?? owner;

const pathReasons: Readonly<Record<PathReason, string>> = {
  "no-folder": "its folder does not exist, or is a file. Create the folder first",
  "is-folder": "it is a folder. Give the path of a file",
  "no-file": "it is a device, a pipe or a socket. Give the path of a file",
  "not-allowed": "the process is not allowed to read and write the file or its folder. Change the permissions",
  moved: "the file was moved or deleted while it was open. Put it back, or open the store again",
  "no-database": "there is no such database on the server. Create it, or name another one",
  "no-schema": "there is no schema for the tables. Create the schema, or give its name with the option schema",
  "no-login": "the server refused the login. Check the name, the password and the rules of the server (pg_hba.conf)",
  "no-rights":
    "the user is not allowed to read, write or create the tables. Grant the rights, or open the store once as another user",
  "read-only": "it is read-only or a replica. Connect to the primary server",
  "not-utf8": "its encoding is not UTF8, so it cannot store every text. Create a database with ENCODING 'UTF8'",
  unknown: "the system refused it. See the cause",
};

const filePathReasons: Readonly<Record<FilePathReason, (limit: number | undefined) => string>> = {
  empty: () => "it is not a text with at least one character",
  parent: () => "it contains the segment `..`. Use a path that begins with /",
  home: () => "it begins with ~. Use a path that begins with /",
  drive: () => "it is a path of Windows. Use a path that begins with /",
  "control-character": () => "it contains a control character",
  "lone-surrogate": () => "it contains half of a surrogate pair",
  "too-long": (limit) => `it is longer than ${limit ?? 0} characters`,
  "segment-too-long": (limit) => `one of its segments is longer than ${limit ?? 0} bytes`,
  "other-spelling": () => "the same name exists in another Unicode spelling. Use the spelling that ls shows",
  "not-canonical": () => "it is not canonical. Use canonicalPath()",
  root: () => "it is the root directory",
};

const list = (values: readonly unknown[]): string => values.map(String).join(", ");

/** The provider's message with the status and the request id, which its support needs. */
function providerMessage({ message, status, requestId }: ModelFault): string {
  const details = [
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
  ];
  const words = /[.!?。]$/u.test(message) ? message : `${message}.`;
  return details.length === 0 ? words : `${words} (${details.join(", ")})`;
}

/** True when no server responds at the address. */
const isUnreachable = ({ message }: ModelFault): boolean => /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/u.test(message);

const phases = {
  connect: "did not start to respond in time",
  "first-byte": "sent nothing in time",
  idle: "stopped sending in the middle of its response",
};

const waited = ({ after }: { readonly after?: number }): string => (after === undefined ? "" : ` (${after} ms)`);

/** The message of each code, for the person who has to act on it. */
export const sentences: { readonly [Code in ErrorCode]: (data: ErrorData[Code]) => string } = {
  "input/not-json": ({ line, column, near }) =>
    `The input is not valid JSON${line === undefined ? "" : ` (line ${line}, column ${column ?? 1})`}${near === undefined ? "" : `, near ${near}`}.`,
  "input/no-messages": ({ keys, expected }) =>
    `There is no message list in the input: expected an array of messages, or an object with ${expected.join(" or ")}; found ${keys.length === 0 ? "no keys" : `the keys ${list(keys)}`}.`,
  "input/empty": ({ messages }) =>
    messages === 0
      ? "There is nothing to import: the history has no messages. A new thread needs no import."
      : `There is nothing to import: none of the ${messages} messages has text, media, a call or a result. Check their roles and keys.`,
  "input/shape": ({ path, expected, got }) => `${path} must be ${expected}, but it is ${got}.`,
  "input/cyclic": ({ path }) => `The input refers to itself at ${path}. A cyclic value cannot be sent to a provider.`,
  "input/too-deep": ({ path }) => `The input is nested too deeply at ${path} to be written as JSON.`,
  "format/unknown": ({ keys }) =>
    `Cannot detect the format of the input${keys.length === 0 ? "" : ` (keys ${list(keys)})`}; set the option format.`,
  "format/ambiguous": ({ candidates }) =>
    `The input fits several formats (${list(candidates)}) and their repairs differ; set the option format.`,
  "format/unsupported": ({ format, supported }) =>
    `Unknown format ${JSON.stringify(format)}. Known formats: ${list(supported)}.`,
  "options/unknown": ({ option, allowed }) =>
    `Unknown option ${JSON.stringify(option)}. Known options: ${list(allowed)}.`,
  "options/value": ({ option, value, allowed }) =>
    `${show(value)} is not a value of the option ${option}. Allowed: ${list(allowed)}.`,
  "notice/promise": ({ callId }) =>
    `The notice generator returned a promise for the call ${callId}; use repairAsync() with an asynchronous generator.`,
  "store/conflict": ({ threadId, expected, actual }) =>
    `The thread ${show(threadId)} was changed by another writer: expected version ${expected}, found ${actual}. Nothing was saved. Read the thread again before you write to it.`,
  "store/stale": ({ key, expected, actual }) =>
    `The store's entry ${show(key)} was changed by another writer: expected version ${expected}, found ${actual}. Nothing was saved. Read it again before you write it.`,
  "store/busy": ({ path }) =>
    `The database ${path} was locked for longer than the timeout (busyTimeout in SQLite, lock_timeout and statement_timeout in Postgres). Nothing was saved. Try again.`,
  "store/full": ({ path }) =>
    `The database ${path} cannot be written: the disk is full, or a quota is used up. Nothing was saved. Free some space and try again.`,
  "store/corrupt": ({ path }) =>
    `${path} is not a database with the tables of undangle, or it is damaged. It was not changed. Use another database, or restore it from a backup.`,
  "store/newer": ({ path, found, known }) =>
    `The database ${path} was created by a later version of undangle: its tables have version ${found}, and this version supports ${known}. Nothing was changed. Update undangle.`,
  "store/closed": ({ path }) => `The store ${path} is closed. Open a new one.`,
  "store/path": ({ path, reason }) => `The database ${path} cannot be used: ${pathReasons[reason]}.`,
  "store/failed": ({ path, reason, canRetry }) =>
    `The database ${path} failed: ${reason}.${canRetry ? " Try again." : ""}`,
  "store/missing": ({ path }) => `There are no threads yet: ${path} does not exist.`,
  "store/foreign": ({ path }) =>
    `There are no threads in ${path}: it is the database of another program. Nothing was changed. Use another path.`,
  "store/driver": ({ path, install }) =>
    `${path} needs the package ${install}, which is not installed here: npm install ${install}`,
  "tool/no-agent": ({ tool }) =>
    `The tool ${tool} has no agent for this call. Set the option agent of tool(), which runChild() uses.`,
  "tool/name": ({ name }) =>
    `${show(name)} is not a valid tool name: use letters (a to z), digits, _ and -, at most 64 characters.`,
  "tool/schema": ({ tool, reason }) => `The input of the tool ${tool} cannot be used: ${reason}.`,
  "tool/duplicate": ({ name, places: [first, second] }) =>
    `Two tools are called ${name}: ${first} and ${second}. A model cannot distinguish them. Rename one.`,
  "approval/unknown": ({ option, name, known, nearest }) =>
    `${option} names the tool ${show(name)}, which the agent does not have, so the rule would guard nothing.${nearest === undefined ? "" : ` Did you mean ${nearest}?`} Known: ${known.length === 0 ? "no tools" : list(known)}. Set optional: true on a rule whose tools may be absent.`,
  "decision/refused": ({ problems, language }) => refusedDecisions[language](problems),
  "decision/none": ({ threadId }) => `No pending call in the thread ${show(threadId)}.`,
  "allowance/unknown": ({ id, scope, known }) =>
    `There is no allowance ${show(id)} of the ${scope}; there ${known.length === 0 ? "are none" : `are: ${list(known)}`}. Use thread.revoke() for allowances of a thread, and agent.revoke() for those of an agent.`,
  "thread/busy": ({ threadId, calls }) =>
    `The thread ${show(threadId)} is busy${calls.length === 0 ? "" : ` with ${list(calls)}`}: decide, stop or wait first.`,
  "thread/owned": ({ threadId, owner }) =>
    `The thread ${show(threadId)} is being run by another process (${processIn(owner)}); try again when its run is over.`,
  "thread/deleted": ({ threadId }) => `The thread ${show(threadId)} is deleted. Restore it to continue it.`,
  "thread/unknown": ({ threadId, nearest }) =>
    `There is no thread ${show(threadId)}.${nearest === undefined ? "" : ` Did you mean ${nearest}?`}`,
  "thread/empty": ({ threadId }) =>
    `There is no message to respond to in the thread ${show(threadId)}. Send a message first.`,
  "thread/exists": ({ threadId }) =>
    `The thread ${show(threadId)} already has content. Import or fork into a new thread id.`,
  "thread/child": ({ threadId, parent }) =>
    `The thread ${show(threadId)} runs a call of the thread ${show(parent)}. Send messages and decisions to that thread, or fork this one.`,
  "thread/no-original": ({ threadId }) =>
    `The thread ${show(threadId)} was not imported, so it has no original. Export it in a format.`,
  "thread/entry": ({ threadId, at, entries }) =>
    `The thread ${show(threadId)} has ${entries} entries, numbered from 0: there is no entry ${show(at)} to fork at.`,
  "run/limit": ({ limit, value }) => `The run has reached its limit of ${value} (limits.${limit}).`,
  "run/context-overflow": ({ messages, tokens, message }) =>
    `The conversation is too long for the model, also after it was summarized and shortened: ${messages} messages, about ${tokens} tokens. ${message}`,
  "run/loop": ({ tool, times }) =>
    `The run was stopped because the model repeats itself: ${tool} was called ${times} times, and nothing changed.`,
  "run/crashed": ({ owner }) => `The process (${processIn(owner)}) ended during the run.`,
  "run/failed": ({ message }) => `The run failed: ${message}`,
  "model/failed": ({ model, message }) => `The model ${model} failed: ${message}`,
  "model/faulty": ({ answers }) =>
    `The model made only calls that cannot be executed, in ${answers} turns in a row (limits.faulty).`,
  "model/unknown": ({ name, suggestions, known }) =>
    `There is no model ${show(name)}.${suggestions.length === 0 ? "" : ` Did you mean ${suggestions.join(" or ")}?`} A model is named PROVIDER/ID, with one of the providers ${list(known)}, or demo.`,
  "model/rate-limit": (data) =>
    data.canRetry
      ? `The model ${data.model} is rate-limited: ${providerMessage(data)}`
      : `The quota of the model ${data.model} is used up: ${providerMessage(data)} Check the plan and the billing of the account.`,
  "model/overloaded": (data) =>
    `The provider of the model ${data.model} is overloaded or failing: ${providerMessage(data)}`,
  "model/context-overflow": (data) =>
    `The conversation is too long for the model ${data.model}: ${providerMessage(data)} Shorten it, or use a model with a larger context.`,
  "model/content-filter": (data) =>
    `The provider of the model ${data.model} filtered the content: ${providerMessage(data)} The same request would be filtered again.`,
  "model/auth": (data) =>
    data.variables === undefined
      ? `The provider of the model ${data.model} does not accept the key: ${providerMessage(data)} Check the key and its permissions.`
      : `There is no key for the model ${data.model}: set ${data.variables.join(" or ")}, or give the option apiKey.`,
  "model/refused": (data) => `The provider of the model ${data.model} refuses the request: ${providerMessage(data)}`,
  "model/timeout": (data) => `The model ${data.model} ${phases[data.phase]}${waited(data)}: ${providerMessage(data)}`,
  "model/unreachable": (data) =>
    `The connection to the model ${data.model} failed: ${providerMessage(data)}${isUnreachable(data) ? " Check that the server is running and that its address is correct." : ""}`,
  "output/missing": ({ asked }) => `The model gave no final answer in the requested form after ${asked} reminders.`,
  "middleware/duplicate": ({ name, places: [first, second] }) =>
    `Two middleware are called ${name}: ${first} and ${second}. Names must be unique. Rename one.`,
  "middleware/stateless": ({ name }) =>
    `The middleware ${name} declares no state to read or update: give it { state: { initial } }.`,
  "middleware/reserved": ({ name }) =>
    `The state ${name} of a thread belongs to the middleware of that name. Use another name for a tool's state.`,
  "hook/failed": ({ middleware, hook, message }) =>
    `The hook ${hook} of the middleware ${middleware} failed: ${message}`,
  "file/path": ({ path, reason, limit }) => `The path ${show(path)} cannot be used: ${filePathReasons[reason](limit)}.`,
  "file/missing": ({ path }) => `There is no file or directory ${path}.`,
  "file/is-directory": ({ path }) => `${path} is a directory, not a file.`,
  "file/not-directory": ({ path }) => `${path} is not a directory.`,
  "file/outside": ({ path }) => `${path} leads out of the file system through a symbolic link.`,
  "file/denied": ({ path, operation }) => `A permission rule denies to ${operation} ${path}.`,
  "file/too-large": ({ path, size, limit }) => `${path} has ${size} bytes; the limit is ${limit}.`,
  "file/read-only": ({ path }) => `${path} cannot be changed: its file system is read-only.`,
  "file/failed": ({ path, reason }) => `The operation on ${path} failed: ${reason}.`,
  "sandbox/unavailable": ({ reason, install }) => `The sandbox cannot run commands here: ${reason}. ${install}`,
  "config/missing": ({ path }) => `There is no config file ${path}. Give an existing file, or omit the option.`,
  "config/load": ({ place, reason, install }) =>
    `${place}: ${reason}${install === undefined ? "" : ` Install it beside the file: npm install ${install}`}`,
  "config/no-export": ({ place }) => `${place}: there is no default export. Write: export default defineConfig({ … }).`,
  "config/key": ({ place, key, allowed, nearest }) =>
    `${place}: Unknown key ${key}.${nearest === undefined ? "" : ` Did you mean ${nearest}?`} Known: ${list(allowed)}.`,
  "config/value": ({ place, key, value, allowed }) =>
    `${place}: ${key} cannot be ${show(value)}. Allowed: ${list(allowed)}.`,
  "config/name": ({ place, key, kind, name, known, nearest }) =>
    `${place}: ${key === "" ? "" : `${key}: `}there is no ${kind} ${show(name)}.${nearest === undefined ? "" : ` Did you mean ${nearest}?`} ${known.length === 0 ? "There are none: define one in the config, or leave the name out." : `Known: ${list(known)}.`}`,
  "config/duplicate": ({ place, key, kind, name, first }) =>
    `${place}: ${key}: the ${kind} name ${show(name)} is already used by ${first}. Rename one.`,
  "config/refused": ({ place, key, reason }) => `${place}: ${key === "" ? "" : `${key}: `}${reason}`,
};
