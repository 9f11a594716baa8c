import { members, skipBlanks } from "./scan-json.ts";
import type { Member, Range } from "./scan-json.ts";

/**
 * The layout of a container in a text. `indent` is the indentation of the line on which it begins; undefined puts it on
 * one line.
 */
export interface Style {
  readonly indent: string | undefined;
  readonly unit: string;
  readonly newline: string;
  readonly colon: string;
  /** The separator of members on one line. */
  readonly comma: string;
  /** True if non-ASCII characters are written as escapes. */
  readonly ascii: boolean;
}

/** The text around the members of a container, and the style of its values. */
export interface Layout {
  readonly open: string;
  readonly between: string;
  readonly close: string;
  readonly inner: Style;
}

/** Reads the style of a text from its first containers. The default is two spaces per level. */
export function readStyle(text: string, start: number): Style {
  const first = /[[{]/.test(text.charAt(start)) ? members(text, start) : [];
  const opened = first[0] === undefined ? "" : text.slice(start + 1, first[0].lead);
  const object = first.find((member) => member.key !== undefined || text.charAt(member.start) === "{");
  const inside = object === undefined || object.key !== undefined ? first : members(text, object.start);
  return {
    indent: opened.includes("\n") ? "" : undefined,
    unit: /\n([ \t]+)/.exec(opened)?.[1] ?? "  ",
    newline: opened.includes("\r\n") ? "\r\n" : "\n",
    ...separators(text, inside, { colon: opened.includes("\n") ? ": " : ":", comma: "," }),
    ascii: /\\u[0-9a-fA-F]{4}/.test(text) && !/[^\0-\x7f]/.test(text),
  };
}

/** The layout of the container at `range` with the members `written`. An empty container uses the style around it. */
export function layoutOf(text: string, range: Range | undefined, written: readonly Member[], style: Style): Layout {
  const [first, second] = written;
  const last = written.at(-1);
  if (range === undefined || first === undefined || last === undefined) return newLayout(style);
  const open = text.slice(range.start + 1, first.lead);
  const spacing = separators(text, written, style);
  const indent = /\n([ \t]*)$/.exec(open)?.[1];
  return {
    open,
    between:
      second === undefined ? (indent === undefined ? spacing.comma : `,${open}`) : text.slice(first.end, second.lead),
    close: text.slice(last.end, range.end - 1),
    inner: { ...style, ...spacing, indent },
  };
}

/** The style of a new neighbour of `sibling`: on one line if the sibling is, with the same spaces. */
export function styleLike(text: string, sibling: Range, style: Style): Style {
  const written = members(text, sibling.start);
  const [first] = written;
  if (first === undefined) return style;
  const broken = /\n/.test(text.slice(sibling.start, first.lead));
  return { ...style, ...separators(text, written, style), indent: broken ? style.indent : undefined };
}

function newLayout(style: Style): Layout {
  if (style.indent === undefined) return { open: "", between: style.comma, close: "", inner: style };
  const indent = style.indent + style.unit;
  const open = style.newline + indent;
  return { open, between: `,${open}`, close: style.newline + style.indent, inner: { ...style, indent } };
}

function separators(
  text: string,
  written: readonly Member[],
  otherwise: Pick<Style, "colon" | "comma">,
): Pick<Style, "colon" | "comma"> {
  const [first, second] = written;
  const colon = first?.key === undefined ? undefined : text.slice(endOfKey(text, first), first.start);
  const gap = first === undefined || second === undefined ? undefined : text.slice(first.end, second.lead);
  return {
    colon: colon ?? otherwise.colon,
    comma: gap === undefined || gap.includes("\n") ? (colon === ": " ? ", " : otherwise.comma) : gap,
  };
}

const endOfKey = (text: string, { lead, start }: Member): number => {
  const colon = text.lastIndexOf(":", start - 1);
  let end = colon;
  while (end > lead && skipBlanks(text, end - 1) === colon) end--;
  return end;
};
