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
}

export type ErrorCode = keyof ErrorData;

/** The one error class: `code` says what happened, `is()` narrows `data` by it, and `message` says what to do. */
export class UndangleError extends Error {
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
};
