import { isText, listOf, recordOf, type Loose } from "../loose.ts";

/** A content of the request and its parts. */
export interface Content {
  readonly path: string;
  readonly role: unknown;
  /** Undefined if `parts` is not a list. */
  readonly parts: readonly Part[] | undefined;
  readonly calls: readonly Held[];
  readonly responses: readonly Held[];
}

/** A part and its path. A value that is not an object reads as a part without keys. */
export interface Part {
  readonly path: string;
  readonly part: Loose;
}

/** A function call or response: the object, its part, and its path. */
export interface Held extends Part {
  readonly value: Loose;
}

/** The contents of a request body or of a bare array, and the body around them. */
export function readContents(input: unknown): { readonly contents: readonly Content[]; readonly body: Loose } {
  const body = recordOf(input);
  const list = Array.isArray(input) ? listOf(input) : listOf(body["contents"]);
  return { contents: list.map((content, index) => contentOf(recordOf(content), `contents[${index}]`)), body };
}

function contentOf(content: Loose, path: string): Content {
  const given = content["parts"];
  const parts = listOf(given).map((part, index) => ({ path: `${path}.parts[${index}]`, part: recordOf(part) }));
  return {
    path,
    role: content["role"],
    parts: Array.isArray(given) ? parts : undefined,
    calls: parts.flatMap((part) => held(part, ["functionCall", "function_call"])),
    responses: parts.flatMap((part) => held(part, ["functionResponse", "function_response"])),
  };
}

function held({ path, part }: Part, keys: readonly string[]): Held[] {
  return keys.flatMap((key) =>
    isSet(part[key]) ? [{ path: `${path}.${key}`, part, value: recordOf(part[key]) }] : [],
  );
}

/** JSON null means an unset field. */
export const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** The id of a call or response; "" for none. */
export const idOf = ({ value }: Held): string => (isText(value["id"]) ? value["id"] : "");

/** Whether the part has a thought signature. */
export const isSigned = (part: Loose): boolean => isText(part["thoughtSignature"]) || isText(part["thought_signature"]);

export const isModel = (content: Content | undefined): boolean => content?.role === "model";

/** The Gemini version in the model name, such as 2.5 or 3; undefined if unknown. */
export function versionOf(body: Loose): { readonly number: number; readonly isFlash: boolean } | undefined {
  const { model } = body;
  const match = /gemini-(\d+(?:\.\d+)?)(-flash)?/.exec(typeof model === "string" ? model : "");
  return match === null ? undefined : { number: Number(match[1]), isFlash: match[2] !== undefined };
}

/** A path in the notation of the API, with snake-case fields: `contents[1].parts[0].function_call`. */
export const fieldAt = (path: string): string => path.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
