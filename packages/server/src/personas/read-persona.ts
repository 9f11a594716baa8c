import { UndangleError } from "undangle";
import type { ApprovalRule } from "undangle/agent";
import type { PersonaConfig } from "undangle/config";
import { isMap, LineCounter, parseDocument } from "yaml";
import type { Document } from "yaml";

/** A persona and the position of each field. */
export interface ReadPersona {
  readonly persona: PersonaConfig;
  readonly placeOf: (key: string) => string;
}

const keys = ["id", "name", "model", "tools", "approvals", "language"];

/** Reads a persona from a Markdown file: front matter between lines of `---`, then the instructions. */
export function readPersona(text: string, file: string): ReadPersona {
  const [, head, body = ""] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/u.exec(text) ?? [];
  if (head === undefined)
    throw refused(
      `${file}:1:1`,
      "front matter",
      "The file must begin with --- and the fields (id, name and others), and end the fields with a line of ---.",
    );
  const lines = new LineCounter();
  const document = parseDocument(head, { lineCounter: lines });
  const placeAt = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line + 1}:${col}`;
  };
  const [fault] = document.errors;
  if (fault !== undefined) throw refused(placeAt(fault.pos[0]), "front matter", firstLine(fault.message));
  const placeOf = (key: string): string => placeAt(offsetOf(document, key));
  const fields = fieldsOf(document, placeOf);
  for (const key of Object.keys(fields))
    if (!keys.includes(key)) throw new UndangleError("config/key", { place: placeOf(key), key, allowed: keys });
  const instructions = body.trim();
  if (instructions === "")
    throw refused(
      `${file}:1:1`,
      "instructions",
      "There is no text after the fields. Write the instructions of the persona there.",
    );
  const { id, name = id, model, language } = fields;
  const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
  if (!isText(id) || !/^[\w-]{1,64}$/u.test(id))
    throw wrong(placeOf("id"), "id", id, "1 to 64 letters, digits, _ and -");
  if (!isText(name)) throw wrong(placeOf("name"), "name", name, "a string");
  if (model !== undefined && !isText(model)) throw wrong(placeOf("model"), "model", model, "the name of a model");
  if (language !== undefined && language !== "en" && language !== "zh")
    throw wrong(placeOf("language"), "language", language, "en or zh");
  const tools = listOf(fields["tools"], placeOf, "tools");
  const approvals = approvalsOf(fields["approvals"], placeOf);
  return {
    persona: {
      id,
      name,
      instructions,
      ...(model !== undefined && { model }),
      ...(tools !== undefined && { tools }),
      ...(approvals !== undefined && { approvals }),
      ...(language !== undefined && { language }),
    },
    placeOf,
  };
}

function fieldsOf(document: Document, placeOf: (key: string) => string): Readonly<Record<string, unknown>> {
  const value = plainValue(document, placeOf);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrong(placeOf(""), "front matter", value, "fields, one per line, such as id: clerk");
  return value as Readonly<Record<string, unknown>>; // it is not a list
}

/** The value of the YAML document. Refuses an alias that is undefined or expands without end. */
function plainValue(document: Document, placeOf: (key: string) => string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw refused(placeOf(""), "front matter", error instanceof Error ? firstLine(error.message) : String(error));
  }
}

/** The position of a key, or the beginning if the key is absent. */
function offsetOf(document: Document, key: string): number {
  if (!isMap(document.contents)) return 0;
  const pair = document.contents.items.find((each) => String(each.key) === key);
  const { range } = (pair?.key ?? {}) as { readonly range?: readonly [number, ...number[]] }; // the form of a parsed key
  return range?.[0] ?? 0;
}

function listOf(value: unknown, placeOf: (key: string) => string, key: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((each): each is string => typeof each === "string")) return value;
  throw wrong(placeOf(key), key, value, "a list of names");
}

/** Approval rules, or names of tools whose calls all need approval. */
function approvalsOf(value: unknown, placeOf: (key: string) => string): readonly ApprovalRule[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw wrong(placeOf("approvals"), "approvals", value, "a list of names or rules");
  return value.map((each: unknown) => {
    if (typeof each === "string") return { tools: each };
    if (typeof each === "object" && each !== null && "tools" in each) return each as ApprovalRule; // the agent checks the rest
    throw wrong(placeOf("approvals"), "approvals", each, "the name of a tool, or a rule with tools");
  });
}

const refused = (place: string, key: string, reason: string): UndangleError =>
  new UndangleError("config/refused", { place, key, reason });

const wrong = (place: string, key: string, value: unknown, allowed: string): UndangleError =>
  new UndangleError("config/value", { place, key, value, allowed: [allowed] });

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? text;
