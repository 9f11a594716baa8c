import { dayOf } from "../facts/dates.ts";
import type { Settled } from "../situation.ts";
import { fillArguments } from "./fill-arguments.ts";
import { fitsSchema } from "./fits-schema.ts";
import type { Gathered } from "./gathered.ts";
import { parameterOf } from "./parameter.ts";
import { readSchema, recordIn } from "./read-schema.ts";
import type { Schema } from "./read-schema.ts";

/** Other arguments for a call that failed because of them. */
export interface Mended {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The names of those that are different. */
  readonly changed: readonly string[];
}

/** Mends what an error names; undefined where it names no argument, or nothing better is known. */
export function mendArguments(call: Settled, schema: Schema, gathered: Gathered): Mended | undefined {
  if (call.outcome.type !== "failed" || !complaint.test(call.outcome.text)) return undefined;
  const { text } = call.outcome;
  const root = readSchema(schema, schema);
  const properties = recordIn(root, "properties");
  const mended: Record<string, unknown> = { ...call.arguments };
  const named = [...new Set([...Object.keys(properties), ...Object.keys(mended)])].filter((name) => names(text, name));
  for (const name of named) {
    const problem = text.split(/\n|(?<=[.。；;])\s/u).find((line) => names(line, name)) ?? text;
    if (
      /not allowed|unexpected|unknown (?:argument|parameter|property)|不允许有/iu.test(problem) &&
      !(name in properties)
    ) {
      delete mended[name];
      continue;
    }
    const inner = readSchema(properties[name], schema);
    const better = betterValue({ name, schema: inner, problem, now: mended[name] }, schema, gathered);
    if (better !== undefined) mended[name] = better;
  }
  const changed = named.filter((name) => JSON.stringify(mended[name]) !== JSON.stringify(call.arguments[name]));
  return changed.length > 0 && fitsSchema(schema, mended) ? { arguments: mended, changed } : undefined;
}

const complaint =
  /arguments? do(?:es)? not fit|invalid|must|required?|missing|expected|not allowed|should|format|unknown|too (?:long|short|large|small|many|few)|参数|无效|必须|缺少|不符合|应为|应该|格式|不能|不允许|过长|过短/iu;

/** Whether a text speaks of an argument; short names are words of the language as well, and have to be marked. */
function names(text: string, name: string): boolean {
  const pattern = name.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`);
  const marked = new RegExp(`[\`"'“]${pattern}[\`"'”.[]|(?<![\\w])${pattern}\\s*[:：=]`, "u");
  return marked.test(text) || (name.length > 3 && new RegExp(`(?<![\\w])${pattern}(?![\\w])`, "iu").test(text));
}

interface Faulty {
  readonly name: string;
  readonly schema: Schema;
  readonly problem: string;
  /** What it is now. */
  readonly now: unknown;
}

function betterValue(faulty: Faulty, root: Schema, gathered: Gathered): unknown {
  const { name, schema, now } = faulty;
  const { aspect } = parameterOf(name, schema);
  const isSaid = [gathered.wish, ...gathered.around].some(({ numbers }) => numbers.some(({ value }) => value === now));
  if (aspect === "money" && isSaid) return undefined; // another sum is not what was asked for
  const others: Gathered = {
    ...gathered,
    spent: new Set(),
    used: new Set(typeof now === "string" || typeof now === "number" ? [String(now)] : []),
  };
  const filling = fillArguments({ ...root, required: [name], properties: { [name]: schema } }, others);
  const isKnown = filling.ok && (now === undefined || filling.madeUp.length === 0);
  const candidates = [
    ...offered(faulty),
    ...converted(faulty),
    ...formatted(faulty, gathered),
    ...(isKnown ? [filling.arguments[name]] : []),
  ];
  return candidates.find(
    (value) => value !== undefined && JSON.stringify(value) !== JSON.stringify(now) && fitsSchema(schema, value),
  );
}

/** Values that an error says would do. */
function offered({ problem, name, now }: Faulty): readonly unknown[] {
  const behind = problem.slice(Math.max(problem.indexOf(name), 0) + name.length);
  if (typeof now === "number") {
    const numbers = [...behind.matchAll(/-?\d+(?:\.\d+)?/gu)].map(([text]) => Number(text));
    const step = /more than|greater|above|exceed|(?<!不能|不得|不)(?:大于|超过)/iu.test(behind)
      ? 1
      : /less than|below|under|(?<!不能|不得|不)小于/iu.test(behind)
        ? -1
        : 0;
    return numbers.map((value) => value + step);
  }
  const list =
    /(?:one of|allowed(?: values)?(?: are)?|expected|choose|可选|之一)[^[(:：]*[[(:：]?\s*([^\])\n]+)/iu.exec(
      behind,
    )?.[1] ?? "";
  const quoted = [...behind.matchAll(/"([^"]+)"|“([^“”]+)”|'([^']+)'/gu)].map(([, ...inner]) =>
    inner.find((each) => each !== undefined),
  );
  return [
    ...quoted,
    ...list.split(/,|，|、|\||\bor\b|或/u).map((text) => text.trim().replaceAll(/^["'`]|["'`.]$/gu, "")),
  ].filter((text) => text !== undefined && text !== "" && text.length < 60);
}

/** The same value as another type, or written as the error asks for it. */
function converted({ now, problem }: Faulty): readonly unknown[] {
  if (typeof now === "number" || typeof now === "boolean") return [String(now), [now]];
  if (typeof now !== "string") return [];
  const number = Number(now);
  const isNumber = now.trim() !== "" && Number.isFinite(number);
  const cased = /lower ?case|小写/iu.test(problem) ? [now.toLowerCase()] : [];
  const upper = /upper ?case|大写/iu.test(problem) ? [now.toUpperCase()] : [];
  return [...(isNumber ? [number] : []), [now], now.trim(), ...cased, ...upper];
}

function formatted({ problem, now }: Faulty, { wish, around, now: time }: Gathered): readonly unknown[] {
  if (typeof now === "number") return [];
  const [date = dayOf(time)] = [wish, ...around].flatMap(({ dates }) => dates);
  if (/YYYY-MM-DD|yyyy-mm-dd/u.test(problem)) return [date];
  return /ISO|RFC ?3339|date-time/iu.test(problem) ? [`${date}T12:00:00Z`, date] : [];
}
