import { detect } from "#codecs";
import type { Format } from "#codecs";
import { isRecord, UndangleError } from "#core";
import type { ErrorCode, ErrorData } from "#core";
import { formatPath } from "#report";
import type { JsonPath } from "#report";
import type { Fault, Opened } from "../input/open-document.ts";
import type { Options } from "../option-table.ts";
import type { Texts } from "../texts/texts.ts";

/** Calls the library for a document. An input error becomes a fault of the document. */
export function ask<Answer>(opened: Opened, texts: Texts, question: (input: unknown) => Answer): Answer | Fault {
  try {
    return question(opened.input);
  } catch (error) {
    if (!isRefusal(error) || isAboutOptions(error.code)) throw error;
    return refusal(error, opened, texts);
  }
}

/** True for any error of the library. */
const isRefusal = (error: unknown): error is UndangleError => error instanceof UndangleError;

/** Errors that would affect every document, so they end the program. */
const isAboutOptions = (code: ErrorCode): boolean => code.startsWith("options/") || code === "format/unsupported";

export const isFault = (value: unknown): value is Fault => isRecord(value) && value["type"] === "fault";

export function checkOptions({ format, provider, model }: Options) {
  return {
    ...(format === undefined ? {} : { format }),
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
  };
}

export function repairOptions(options: Options) {
  const { language, orphans, duplicates, danglingAtEnd, notices } = options;
  return {
    ...checkOptions(options),
    ...(language === undefined ? {} : { language }),
    ...(orphans === undefined ? {} : { orphans }),
    ...(duplicates === undefined ? {} : { duplicates }),
    ...(danglingAtEnd === undefined ? {} : { danglingAtEnd }),
    ...(notices === undefined ? {} : { notices }),
  };
}

export function convertOptions({ from, provider, model, language }: Options, to: Format) {
  return {
    to,
    ...(from === undefined ? {} : { from }),
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(language === undefined ? {} : { language }),
  };
}

function refusal(error: UndangleError, { root, path }: Opened, texts: Texts): Fault {
  const details: string[] = [];
  if (error.code === "input/no-messages") {
    const found = findHistory(root);
    if (found !== undefined && found.length > 0 && formatPath(found) !== formatPath(path)) {
      details.push(texts.tryAt(formatPath(found)));
    } else if (isRecord(root) && "role" in root) details.push(texts.oneMessage);
  }
  if (error.code === "format/unknown" || error.code === "format/ambiguous") details.push(texts.tryFormat);
  return { type: "fault", code: error.code, message: sentence(error.code, error.data, texts), details };
}

function sentence<Code extends ErrorCode>(code: Code, data: ErrorData[Code], texts: Texts): string {
  return texts.sentences[code](data);
}

/** Searches a value for a body or a message list, breadth first and with a limit. */
function findHistory(root: unknown): JsonPath | undefined {
  const waiting: { readonly value: unknown; readonly path: JsonPath }[] = [{ value: root, path: [] }];
  for (let looked = 0; looked < 500; looked++) {
    const next = waiting.shift();
    if (next === undefined) return undefined;
    const { value, path } = next;
    if (isHistory(value)) return path;
    if (path.length === 5 || typeof value !== "object" || value === null) continue;
    const inner = Array.isArray(value) ? [...value.entries()].slice(0, 5) : Object.entries(value).slice(0, 100);
    for (const [step, one] of inner) waiting.push({ value: one as unknown, path: [...path, step] });
  }
  return undefined;
}

function isHistory(value: unknown): boolean {
  if (!Array.isArray(value) && !isRecord(value)) return false;
  if (Array.isArray(value) && value.length === 0) return false;
  try {
    return detect(value) !== undefined;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}
