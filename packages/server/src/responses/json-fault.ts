/** The position of the first JSON error, and a description. Lines and columns start at 1. */
export interface JsonFault {
  readonly what: string;
  readonly line: number;
  readonly column: number;
}

/** V8 omits the position of an unexpected token. For longer texts, the search would cost more than the parse. */
const longestSearched = 1024 * 1024;

/**
 * Describes the first error of a text that `JSON.parse` refuses; undefined if the position is unknown or the text is
 * valid.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const message = faultIn(text);
  const offset = message === undefined ? undefined : offsetOf(message, text);
  if (message === undefined || offset === undefined) return undefined;
  const before = text.slice(0, offset).split("\n");
  const [what = message] = /^.*?(?=, ["'.]| in JSON at | in JSON$)/su.exec(message) ?? [];
  return { what, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function faultIn(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof SyntaxError ? error.message : undefined;
  }
}

function offsetOf(message: string, text: string): number | undefined {
  const stated = /\bat position (\d+)/u.exec(message)?.[1];
  if (stated !== undefined) return Number(stated);
  if (message.startsWith("Unexpected end")) return text.length;
  return text.length > longestSearched ? undefined : unexpectedTokenIn(text);
}

/** The longest prefix of valid JSON ends at the unexpected token. */
function unexpectedTokenIn(text: string): number {
  let valid = 0;
  let invalid = text.length;
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    if (faultIn(text.slice(0, middle))?.startsWith("Unexpected token") === true) invalid = middle;
    else valid = middle;
  }
  return invalid - 1;
}
