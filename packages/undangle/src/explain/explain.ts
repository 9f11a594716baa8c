import type { RuleId } from "#core";
import { rules, UndangleError } from "#core";
import { errorWords } from "./normalise-error.ts";
import { nearestRules } from "./nearest-rules.ts";
import { readWordings, recognise } from "./match-error.ts";
import { rulesOfPairs } from "./rules-of-pairs.ts";

/** One rule that an error text may refer to. */
export interface Explanation {
  readonly rule: RuleId;
  readonly title: string;
  readonly why: string;
  readonly fix: string;
  /** A link to the documentation in the repository. */
  readonly docs: string;
  /**
   * `known`: providers use this text for this rule. `likely`: another meaning of the same text, or a vague text.
   * `nearest`: the text is not known, and this is only the most similar rule; then all explanations have this value.
   */
  readonly confidence: "known" | "likely" | "nearest";
}

export interface ExplainOptions {
  /** The format of the request, if known. Its rules come first. */
  readonly format?: string;
}

/**
 * The rules that an error text of a provider may refer to, the likeliest first, however the text is wrapped. An unknown
 * text gets the most similar rules, marked as such, or none if nothing is similar.
 */
export function explain(text: string, options: ExplainOptions = {}): Explanation[] {
  const { format } = checked(text, options);
  const found = look(text);
  const isOfFormat = ({ rule }: { readonly rule: RuleId }): boolean =>
    format === undefined || rules[rule].cases.some((one) => one.format === format);
  return [...found.filter(isOfFormat), ...found.filter((one) => !isOfFormat(one))].map(({ rule, confidence }) => {
    const { title, why, fix } = rules[rule];
    return { rule, title, why, fix, docs: `docs/reference/rules.md#${rule}`, confidence };
  });
}

/**
 * Tries the text as written, then with words rejoined that a terminal has wrapped, then by its terms for calls and
 * results, then by similarity.
 */
function look(text: string): readonly Pick<Explanation, "rule" | "confidence">[] {
  const words = errorWords(text);
  const known = readWordings();
  const { readings, unrelated } = recognise(words, known);
  if (readings.length > 0) return readings;
  const joined = recognise(errorWords(text, { lineBreak: "" }), known).readings;
  if (joined.length > 0) return joined;
  if (unrelated) return [];
  const apart = rulesOfPairs(words);
  if (apart.length > 0) return apart.map((rule) => ({ rule, confidence: "likely" }));
  return nearestRules(words).map((rule) => ({ rule, confidence: "nearest" }));
}

function checked(text: unknown, options: ExplainOptions): ExplainOptions {
  if (typeof text !== "string") {
    throw new UndangleError("input/shape", {
      path: "text",
      expected: "a string",
      got: text === null ? "null" : typeof text,
    });
  }
  if (typeof options !== "object" || options === null) {
    throw new UndangleError("options/value", { option: "options", value: options, allowed: ["an object"] });
  }
  for (const option of Object.keys(options)) {
    if (option !== "format") throw new UndangleError("options/unknown", { option, allowed: ["format"] });
  }
  const { format } = options;
  if (format !== undefined) {
    const known = new Set(Object.values(rules).flatMap((rule) => rule.cases.map((one) => one.format)));
    if (!known.has(format)) throw new UndangleError("format/unsupported", { format, supported: [...known] });
  }
  return options;
}
