import { isRecord } from "#core";
import type { Message } from "#codecs";

import type { ModelRequest } from "../model.ts";

type Schema = NonNullable<ModelRequest["output"]>;

/** How much of a text is searched, and how often: a description of a form is near its beginning, and short. */
const longestSearched = 20_000;
const mostTries = 20;

/**
 * The form that is asked for. A request for any JSON object (`response_format: json_object`) names no fields, but its instructions or
 * its message may: as a JSON schema, which SDKs put there, or as an example. Else the object has one field, `answer`.
 */
export function describedOutput(output: Schema, { system, messages }: ModelRequest): Schema {
  if (Object.keys(output).some((key) => key !== "type" && key !== "additionalProperties")) return output;
  const texts = [...system.map(({ text }) => text), ...messages.map(textOf)];
  for (const text of texts.toReversed()) {
    const found = objectsIn(text)
      .map(schemaOf)
      .find((schema) => schema !== undefined);
    if (found !== undefined) return found;
  }
  return { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };
}

/** The text of a message that can describe a form; replies and tool results cannot. */
function textOf(message: Message): string {
  if (message.role !== "user" && message.role !== "system") return "";
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** The JSON objects in a text. */
function objectsIn(text: string): readonly Schema[] {
  const searched = text.slice(0, longestSearched);
  const found: Schema[] = [];
  let at = searched.indexOf("{");
  for (let tries = 0; at !== -1 && tries < mostTries; tries++) {
    const end = endOfObject(searched, at);
    const value = end === undefined ? undefined : parsed(searched.slice(at, end));
    if (isRecord(value)) found.push(value);
    at = searched.indexOf("{", isRecord(value) ? end : at + 1);
  }
  return found;
}

/** The index after the bracket that closes the one at `start`; undefined if none does. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of text.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gu)) {
    if (token === "{") depth += 1;
    else if (token === "}") depth -= 1;
    if (depth === 0) return start + index + 1;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON: the search continues at the next bracket
  }
}

/** An object as the schema that it is, or of which it is an example. */
function schemaOf(value: Schema): Schema | undefined {
  if (isRecord(value["properties"])) return value;
  if (Object.keys(value).length === 0 || "$ref" in value) return undefined;
  return exampleSchema(value, 0);
}

function exampleSchema(value: unknown, depth: number): Schema {
  if (Array.isArray(value))
    return { type: "array", ...(value.length > 0 && { items: exampleSchema(value[0], depth + 1) }) };
  if (isRecord(value) && depth < 4) {
    const properties = Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, exampleSchema(each, depth + 1)]),
    );
    return { type: "object", properties, required: Object.keys(value) };
  }
  if (typeof value === "number") return { type: Number.isInteger(value) ? "integer" : "number" };
  return { type: typeof value === "boolean" ? "boolean" : "string" };
}
