import { ApiError } from "./api-error.ts";

/** Only these numbers can be read as others: of many digits, or with an exponent. */
const mayBeInexact = /\d[\d.]{15}|\d[eE][-+]?\d/u;

/** Refuses a body with a number that JavaScript reads as another one: it would run otherwise than it was written. */
export function demandExactNumbers(text: string): void {
  if (!mayBeInexact.test(text)) return;
  const found = findInexact(parseWith(text, marked), []);
  if (found === undefined) return;
  const { path, written } = found;
  const read = Number(written);
  const why = Number.isFinite(read) ? `would be read as ${JSON.stringify(read)}` : "is too large for a number";
  throw new ApiError(
    400,
    "number-inexact",
    `${path}: ${shortened(written)} ${why}. Write a number with fewer digits.`,
    {
      param: path,
    },
  );
}

type Reviver = (key: string, value: unknown, context: { readonly source: string }) => unknown;

/** The types of TypeScript do not know the third parameter. */
const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown;

const marked: Reviver = (_key, value, { source }) =>
  typeof value === "number" && decimal(source) !== decimal(String(value)) ? new Inexact(source) : value;

class Inexact {
  readonly written: string;

  constructor(written: string) {
    this.written = written;
  }
}

interface Found {
  readonly path: string;
  readonly written: string;
}

function findInexact(value: unknown, keys: readonly string[]): Found | undefined {
  if (value instanceof Inexact) return { path: keys.join("."), written: value.written };
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, each] of Object.entries(value)) {
    const found = findInexact(each, [...keys, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A decimal number in a form that each value has once; a number that is not decimal as it is. */
function decimal(written: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/iu.exec(written);
  if (parts === null) return written;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
  const digits = (whole + fraction).replace(/^0+/u, "");
  const kept = digits.replace(/(?<!0)0+$/u, "");
  if (kept === "") return "0";
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

const shortened = (written: string): string => (written.length > 40 ? `${written.slice(0, 40)}…` : written);
