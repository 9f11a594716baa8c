import { check, repair, rules, UndangleError } from "undangle";
import type { Edit, Format, Problem, Repaired, RuleId } from "undangle";
import { formatFacts, lookUp, parsePath } from "undangle/report";
import type { JsonPath, Words } from "undangle/report";

import { isRecord } from "../../parts/json-record.ts";
import type { FoundHistory } from "../input/found.ts";
import { effectiveTarget } from "./effective-target.ts";
import type { Target } from "./effective-target.ts";
import type { EditView, HistoryReport, ProblemView, RefusalReport, RuleCount } from "./examination.ts";
import { jsonText, segmentsOf } from "./message-view.ts";

/** A history, its repair and the report about both. */
export interface Diagnosis {
  readonly history: FoundHistory;
  readonly report: HistoryReport;
  readonly repaired: Repaired<unknown>;
}

/** Of thousands of problems or edits, the first are shown. The output contains all repairs. */
const mostShown = 300;

/** Checks and repairs a history. */
export function diagnose(history: FoundHistory, chosen: Target, words: Words): Diagnosis | RefusalReport {
  const { value: input } = history;
  try {
    const target = effectiveTarget(history, chosen);
    const problems = check(input, target);
    const repaired = repair(input, target);
    return { history, repaired, report: reportOf({ history, problems, repaired, chosen, target, words }) };
  } catch (error) {
    if (!(error instanceof UndangleError)) throw error;
    const mayChooseFormat = error.code === "format/unknown" || error.code === "format/ambiguous";
    return { type: "refusal", message: words.error(error), mayChooseFormat };
  }
}

interface Findings {
  readonly history: FoundHistory;
  readonly problems: readonly Problem[];
  readonly repaired: Repaired<unknown>;
  /** What the person chose, and what applies. */
  readonly chosen: Target;
  readonly target: Target;
  readonly words: Words;
}

function reportOf({ history, problems, repaired, chosen, target, words }: Findings): HistoryReport {
  const { value: input, fault } = history;
  const { format, output, edits } = repaired;
  const facts = formatFacts.find((one) => one.format === format);
  const before = facts?.messagesOf(input) ?? [];
  const after = facts?.messagesOf(output) ?? [];
  const listKey = facts?.listKey ?? "messages";
  const placed = (path: string | undefined): Placed | undefined => placeIn(path, listKey);
  const errorOf = (rule: RuleId): string | undefined => exampleError(rule, format, target.provider);
  const sentenceOf = ({ message, callId, path }: Problem): string =>
    words.language === "en" ? message : callText(callId, toolAt(input, path));
  const model = (input as Readonly<Record<string, unknown>>)[facts?.modelKey ?? "model"]; // repair accepted it: a body or a list
  return {
    type: "history",
    format,
    isDetected: chosen.format === undefined,
    provider: target.provider,
    isProviderDetected: chosen.provider === undefined && target.provider !== undefined,
    ...(fault !== undefined && { fault: { ...fault, sentence: words.faults[fault.fault] } }),
    model: typeof model === "string" ? model : undefined,
    messages: before.length,
    problems: problems.slice(0, mostShown).map((problem): ProblemView => ({
      rule: problem.rule,
      title: words.rules[problem.rule].title,
      path: problem.path,
      message: sentenceOf(problem),
      isRepairable: problem.repairable,
      isLikely: problem.confidence === "likely",
      index: placed(problem.path)?.index,
    })),
    problemCount: problems.length,
    left: repaired.problems.length,
    rules: countRules(problems, words, errorOf),
    edits: edits.slice(0, mostShown).map((edit): EditView => {
      const { title, fix } = words.rules[edit.rule];
      return {
        rule: edit.rule,
        title,
        fix,
        type: edit.type,
        from: edit.from,
        to: edit.to,
        before: jsonText(valueBefore(edit, input)),
        after: jsonText(edit.after ?? valueAt(output, edit.to)),
        isLossless: edit.lossless,
        isReconstructed: edit.reconstructed,
        error: errorOf(edit.rule),
        fromIndex: placed(edit.from)?.index,
        toIndex: placed(edit.to)?.index,
      };
    }),
    editCount: edits.length,
    lossy: edits.filter(({ lossless }) => !lossless).length,
    before: segmentsOf(before, marksOf(problems.map(({ path }) => placed(path)))),
    after: segmentsOf(after, marksOf(edits.map(({ to }) => placed(to)))),
  };
}

/** The call of a problem. The sentences of the library are English; in other languages the title of the rule precedes it. */
const callText = (id: string | undefined, name: string | undefined): string =>
  name === undefined ? (id ?? "") : id === undefined ? name : `${name}（${id}）`;

/** An insertion has no old value, even if `from` names the call that it is for. */
const valueBefore = ({ type, before, from }: Edit, input: unknown): unknown =>
  before ?? (type === "insert" || type === "restore" ? undefined : valueAt(input, from));

/** The value at a path of the library. Paths of a bare list start with the key that a body would have. */
function valueAt(root: unknown, path: string | undefined): unknown {
  const steps = path === undefined ? undefined : parsePath(path);
  if (steps === undefined) return undefined;
  const own = Array.isArray(root) ? steps.slice(1) : steps;
  const { value, depth } = lookUp(root, own);
  return depth === own.length ? value : undefined;
}

/** The name of the tool whose call is at a path or around it: a problem may be in the arguments. Messages are around calls. */
function toolAt(root: unknown, path: string): string | undefined {
  const steps = parsePath(path)?.slice(Array.isArray(root) ? 1 : 0) ?? [];
  for (let { length } = steps; length > 0; length--) {
    const { value, depth } = lookUp(root, steps.slice(0, length));
    if (depth < length || !isRecord(value)) continue;
    if ("content" in value || "role" in value) return undefined;
    const { name } = isRecord(value["function"]) ? value["function"] : { name: value["name"] ?? value["toolName"] };
    if (typeof name === "string") return name;
  }
  return undefined;
}

interface Placed {
  readonly index: number;
  /** The path inside the message. */
  readonly inner: JsonPath;
}

function placeIn(path: string | undefined, listKey: string): Placed | undefined {
  const [key, index, ...inner] = (path === undefined ? undefined : parsePath(path)) ?? [];
  return key === listKey && typeof index === "number" ? { index, inner } : undefined;
}

function marksOf(places: readonly (Placed | undefined)[]): ReadonlyMap<number, readonly JsonPath[]> {
  const marks = new Map<number, JsonPath[]>();
  for (const place of places) {
    if (place === undefined) continue;
    const known = marks.get(place.index);
    if (known === undefined) marks.set(place.index, [place.inner]);
    else known.push(place.inner);
  }
  return marks;
}

/** The broken rules in order of their first problem. */
function countRules(
  problems: readonly Problem[],
  words: Words,
  errorOf: (rule: RuleId) => string | undefined,
): readonly RuleCount[] {
  const counts = new Map<RuleId, { count: number; isRepairable: boolean }>();
  for (const { rule, repairable } of problems) {
    const known = counts.get(rule) ?? { count: 0, isRepairable: false };
    counts.set(rule, { count: known.count + 1, isRepairable: known.isRepairable || repairable });
  }
  return [...counts].map(([rule, count]) => {
    const { title, why, fix } = words.rules[rule];
    return { rule, title, why, fix, ...count, error: errorOf(rule) };
  });
}

/** An error with which the provider reports the rule, or, with its name, another provider of the format. Its places and values are those of the request that it was recorded with. */
function exampleError(rule: RuleId, format: Format, provider: string | undefined): string | undefined {
  const cases = rules[rule].cases.filter((one) => one.format === format && one.errors.length > 0);
  const own = cases.find((one) => one.provider === provider) ?? cases.find((one) => one.provider === undefined);
  if (own !== undefined) return own.errors[0];
  const [other] = cases;
  return other === undefined ? undefined : `${other.provider ?? format}: ${other.errors[0] ?? ""}`;
}
