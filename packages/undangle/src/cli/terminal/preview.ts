import { grouped } from "./grouped.ts";
import { printable } from "./printable.ts";
import { textWidth, truncate } from "./text-width.ts";

/** A value on one line of at most `columns` columns. It reads only the part that it shows. */
export function preview(value: unknown, columns: number): string {
  const line = describe(value, columns);
  return textWidth(line) <= columns ? line : truncate(line, columns);
}

/** A string as JSON without control characters. Only the first `longest` characters of a long string are read. */
export function quoted(text: string, longest: number): string {
  if (text.length <= longest) return printable(JSON.stringify(text));
  return `${printable(JSON.stringify(text.slice(0, longest)).slice(0, -1))}…" (${grouped(text.length)} characters)`;
}

function describe(value: unknown, room: number): string {
  if (typeof value === "string")
    return truncate(printable(JSON.stringify(value.slice(0, Math.max(room, 8)))), Math.max(room, 8));
  if (typeof value !== "object" || value === null) return String(value);
  if (room < 8) return Array.isArray(value) ? "[…]" : "{…}";
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  let line = open;
  for (const [key, inner] of entriesOf(value)) {
    if (line.length > 1) line += ", ";
    if (textWidth(line) > room) return `${line}…`;
    line += key === undefined ? "" : `${printable(key)}: `;
    line += describe(inner, room - textWidth(line));
  }
  return line + close;
}

function* entriesOf(value: object): Generator<readonly [key: string | undefined, value: unknown], void, undefined> {
  if (Array.isArray(value)) for (const inner of value as readonly unknown[]) yield [undefined, inner];
  else for (const key of Object.keys(value)) yield [key, (value as Readonly<Record<string, unknown>>)[key]]; // own keys of a parsed JSON object
}
