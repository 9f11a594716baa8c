/** A text that a simple regular expression matches; undefined for one that says more than this can read. */
export function samplePattern(pattern: string, shortest = 0): string | undefined {
  for (const more of [0, shortest]) {
    const reader: Reader = { pattern, at: 0, more };
    const text = readChoices(reader);
    if (text === undefined || reader.at < pattern.length) return undefined;
    if (text.length >= shortest && new RegExp(pattern, "u").test(text)) return text;
  }
  return undefined;
}

interface Reader {
  readonly pattern: string;
  at: number;
  /** How often something is repeated beyond what it has to be. */
  readonly more: number;
}

/** Alternatives: the first one is taken, the others are read over. */
function readChoices(reader: Reader): string | undefined {
  const first = readSequence(reader);
  while (reader.pattern[reader.at] === "|") {
    reader.at++;
    if (readSequence(reader) === undefined) return undefined;
  }
  return first;
}

function readSequence(reader: Reader): string | undefined {
  let text = "";
  while (reader.at < reader.pattern.length && !"|)".includes(reader.pattern[reader.at] ?? "")) {
    const atom = readAtom(reader);
    if (atom === undefined) return undefined;
    text += atom.repeat(readTimes(reader));
  }
  return text;
}

/** One thing that can be repeated; undefined for what this does not know, such as looking ahead. */
function readAtom(reader: Reader): string | undefined {
  const sign = reader.pattern[reader.at++] ?? "";
  if (sign === "^" || sign === "$") return "";
  if (sign === ".") return "a";
  if (sign === "\\") return escaped(reader);
  if (sign === "[") return readClass(reader);
  if (sign === "(") return readGroup(reader);
  return "*+?{".includes(sign) ? undefined : sign;
}

function readGroup(reader: Reader): string | undefined {
  const rest = reader.pattern.slice(reader.at);
  const opening = /^\?(?::|<\w+>)/u.exec(rest)?.[0] ?? "";
  if (rest.startsWith("?") && opening === "") return undefined;
  reader.at += opening.length;
  const inner = readChoices(reader);
  return reader.pattern[reader.at++] === ")" ? inner : undefined;
}

const classes: Readonly<Record<string, string>> = { d: "1", w: "a", s: " ", D: "a", W: "-", S: "a", b: "", B: "" };
const controls: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

function escaped(reader: Reader): string | undefined {
  const sign = reader.pattern[reader.at++] ?? "";
  if (sign === "p") {
    const name = /^\{([^}]*)\}/u.exec(reader.pattern.slice(reader.at));
    reader.at += name?.[0].length ?? 0;
    return name === null
      ? undefined
      : /Han/u.test(name[1] ?? "")
        ? "中"
        : name[1]?.startsWith("N") === true
          ? "1"
          : "A";
  }
  const known = classes[sign] ?? controls[sign];
  if (known !== undefined) return known;
  return /[\dA-Za-z]/u.test(sign) ? undefined : sign; // back references, code points and the like
}

/** The first character that a class has; one that is not in it, where it says which are not. */
function readClass(reader: Reader): string | undefined {
  const end = closing(reader.pattern, reader.at);
  if (end < 0) return undefined;
  const source = reader.pattern.slice(reader.at - 1, end + 1);
  reader.at = end + 1;
  const isIn = new RegExp(`^${source}$`, "u");
  return Array.from("a1A-_ .@/#中").find((sign) => isIn.test(sign)) ?? firstIn(source, isIn);
}

const firstIn = (source: string, isIn: RegExp): string | undefined =>
  Array.from(source.slice(1, -1)).find((sign) => isIn.test(sign));

function closing(pattern: string, from: number): number {
  for (let at = from; at < pattern.length; at++) {
    if (pattern[at] === "\\") at++;
    else if (pattern[at] === "]" && at > from) return at;
  }
  return -1;
}

function readTimes(reader: Reader): number {
  const [quantifier] = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/u.exec(reader.pattern.slice(reader.at)) ?? [""];
  reader.at += quantifier.length;
  if (quantifier.startsWith("*")) return reader.more;
  if (quantifier.startsWith("+")) return Math.max(1, reader.more);
  if (quantifier.startsWith("?")) return 0;
  const [, least = "1", comma, most] = /^\{(\d+)(,)?(\d*)\}/u.exec(quantifier) ?? [];
  if (quantifier === "" || comma === undefined) return Number(least);
  return Math.max(Number(least), Math.min(reader.more, most === "" || most === undefined ? Infinity : Number(most)));
}
