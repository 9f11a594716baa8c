import { isObject, locate, members, skipBlanks } from "./scan-json.ts";
import type { Member, Range } from "./scan-json.ts";
import { align } from "./align.ts";
import { layoutOf, readStyle, styleLike } from "./json-style.ts";
import type { Style } from "./json-style.ts";

/**
 * Writes `after` in the layout in which `text` wrote `before`. Unchanged parts are copied, so that numbers, escapes and
 * layout survive; new parts use the layout of their neighbours. Yields chunks, because the result may exceed the
 * longest string.
 */
export function printLike(text: string, before: unknown, after: unknown): readonly string[] {
  const start = skipBlanks(text, 0);
  const end = text.trimEnd().length;
  const parts = [text.slice(0, start)];
  const printer: Printer = { text, parts, style: readStyle(text, start), places: undefined, root: before };
  printValue(printer, after, { before, range: { start, end } }, printer.style);
  parts.push(text.slice(end));
  return parts;
}

interface Printer {
  readonly text: string;
  readonly parts: string[];
  readonly root: unknown;
  readonly style: Style;
  /** The ranges of all containers, computed on the first move. */
  places: ReadonlyMap<object, Range> | undefined;
}

/** The earlier value and its range. */
interface Source {
  readonly before: unknown;
  readonly range: Range;
}

function printValue(printer: Printer, after: unknown, source: Source | undefined, style: Style): void {
  const { text, parts } = printer;
  const range = source !== undefined && Object.is(source.before, after) ? source.range : placeOf(printer, after);
  if (range !== undefined) parts.push(text.slice(range.start, range.end));
  else if (!isObject(after)) parts.push(printLeaf(after, style));
  else if (Array.isArray(after)) printArray(printer, after, source, style);
  else printObject(printer, after, source, style);
}

function placeOf(printer: Printer, value: unknown): Range | undefined {
  if (!isObject(value)) return undefined;
  printer.places ??= locate(printer.text, printer.root);
  return printer.places.get(value);
}

function printArray(printer: Printer, after: readonly unknown[], source: Source | undefined, style: Style): void {
  const before = source !== undefined && Array.isArray(source.before) ? (source.before as readonly unknown[]) : [];
  const written = before.length > 0 && source !== undefined ? members(printer.text, source.range.start) : [];
  const origins = align(before, after);
  const layout = layoutOf(printer.text, source?.range, written, style);
  const sibling = written.find((member) => /[[{]/.test(printer.text.charAt(member.start)));
  const inner = sibling === undefined ? layout.inner : styleLike(printer.text, sibling, layout.inner);
  printer.parts.push("[");
  for (const [index, item] of after.entries()) {
    printer.parts.push(index === 0 ? layout.open : layout.between);
    const origin = origins[index];
    const range = origin === undefined ? undefined : written[origin];
    const from = origin === undefined || range === undefined ? undefined : { before: before[origin], range };
    printValue(printer, item, from, inner);
  }
  printer.parts.push(after.length === 0 ? "" : layout.close, "]");
}

function printObject(printer: Printer, after: object, source: Source | undefined, style: Style): void {
  const before = source !== undefined && isPlain(source.before) ? source.before : undefined;
  const written = before === undefined || source === undefined ? [] : members(printer.text, source.range.start);
  const byKey = new Map(written.map((member): [string | undefined, Member] => [member.key, member]));
  const layout = layoutOf(printer.text, source?.range, written, style);
  const entries = Object.entries(after).filter(([, value]) => value !== undefined);
  printer.parts.push("{");
  for (const [index, [key, value]] of entries.entries()) {
    const range = byKey.get(key);
    const from = before === undefined || range === undefined ? undefined : { before: before[key], range };
    printer.parts.push(index === 0 ? layout.open : layout.between);
    printer.parts.push(range === undefined ? printLeaf(key, style) + layout.inner.colon : keyText(printer.text, range));
    printValue(printer, value, from, layout.inner);
  }
  printer.parts.push(entries.length === 0 ? "" : layout.close, "}");
}

const keyText = (text: string, { lead, start }: Member): string => text.slice(lead, start);

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !Array.isArray(value);

function printLeaf(value: unknown, { ascii }: Style): string {
  const text = JSON.stringify(value) ?? "null";
  return ascii
    ? text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : text;
}
