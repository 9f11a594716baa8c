import type { RuleId } from "./catalogue/catalogue.ts";
import { confidenceIn, rules } from "./catalogue/catalogue.ts";
import type { Call, Entry, Source } from "./history.ts";
import { shorten } from "./rules/describe.ts";
import { valueAt } from "./path.ts";

/** A problem for which the provider would refuse the history. */
export interface Problem {
  readonly rule: RuleId;
  /** The path, such as `messages[3].tool_calls[0].id`. */
  readonly path: string;
  readonly message: string;
  readonly fix: string;
  readonly repairable: boolean;
  readonly confidence: "known" | "likely";
  readonly callId?: string;
}

/** A change of a repair. */
export interface Edit {
  readonly rule: RuleId;
  readonly type: EditType;
  /** The path in the input; absent for an insertion. */
  readonly from?: string;
  /** The path in the output; absent for a removal. */
  readonly to?: string;
  /** The old value. If several edits share a message, a part or a long text, one of them contains it. */
  readonly before?: unknown;
  /** The new value, with the same exception. */
  readonly after?: unknown;
  /** True if the output contains everything that the input contained. */
  readonly lossless: boolean;
  /**
   * True if the output contains something that the input did not: a reconstructed call, or a result that was matched by
   * position.
   */
  readonly reconstructed: boolean;
  readonly callId?: string;
  /** The error of the caller's notice generator. The default notice was used. */
  readonly error?: string;
}

/** What was wrong at the place of an edit. */
export const editText = ({ rule, callId }: Pick<Edit, "rule" | "callId">): string =>
  `${rules[rule].title}${callId === undefined ? "" : `: ${callId}`}`;

export type EditType = "insert" | "move" | "merge" | "rename" | "rewrite" | "remove" | "quote" | "restore";

/** A problem. Without `from` it concerns an inserted value and is not a problem of the input. */
export interface Finding {
  readonly rule: RuleId;
  readonly from: string | undefined;
  readonly message: string;
  readonly callId?: string | undefined;
  /** Set if the input alone cannot show that the provider refuses it. By default the catalogue decides. */
  readonly confidence?: "likely";
}

/** The change for a problem, and its place in the output, where the old and new values are read. */
export interface Change {
  readonly type: EditType;
  readonly entry?: Entry;
  readonly call?: Call;
  readonly suffix?: string;
  /** The message, if the change does not concern an entry. */
  readonly source?: Source;
  /** The index of the part, and the path after it. */
  readonly part?: { readonly place: number; readonly tail: string };
  /** A parameter of the body outside the message list; `before` if it was changed in place. */
  readonly parameter?: { readonly path: string; readonly before?: unknown; readonly after: unknown };
  readonly lossless?: boolean;
  readonly reconstructed?: boolean;
  readonly error?: string;
}

export interface Spot {
  readonly source: Source;
  /** The path after that of the message, such as `.content[2].text`. */
  readonly suffix: string;
  readonly part?: Change["part"];
}

/** The lists that paths refer to. */
export interface Lists {
  readonly input: readonly unknown[];
  readonly output: readonly unknown[];
}

/** The paths of a format. */
export interface Paths {
  /** The path of an entry or a call in the input. */
  from(entry: Entry, call?: Call): string | undefined;
  /** The path in the output. */
  to(entry: Entry, call?: Call): string;
}

/** The edit that adds a result to a call. */
export type AnswerEdit = Edit & { readonly from: string };

/** Collects problems and edits. */
export interface Journal {
  /** Records a problem and its change. No change: it cannot be repaired; "left": the caller keeps it. */
  report(finding: Finding, change?: Change | "left"): void;
  /** The same for a place in a message that is repaired in place. */
  note(at: Spot, finding: Omit<Finding, "from">, change?: Omit<Change, "source" | "part">): void;
  /** Records a change without a problem: a turn that is edited anyway also meets a contested rule. */
  edit(finding: Finding, change: Change): void;
  /** Records that a call of an open turn gets a result. Must be called in input order. */
  answered(name: string, edit: AnswerEdit): void;
  changed(): boolean;
  /** Marks the changes so far as written. */
  close(paths: Paths, lists: Lists): void;
  /** All problems, repaired or not, in input order. */
  readonly problems: () => readonly Problem[];
  /** All edits, in input order. */
  edits(): readonly Edit[];
}

/** A call that got a result. Its message is written on demand. */
interface Answered {
  readonly name: string;
  readonly edit: AnswerEdit;
}

export function createJournal(to: {
  readonly format: string;
  readonly provider: string | undefined;
  readonly listKey: string;
}): Journal {
  const { format, provider, listKey } = to;
  const problems: (Problem | Answered)[] = [];
  const edits: Edit[] = [];
  let isInOrder = true; // reports may concern any place; added results are in input order
  const shown: Shown = { before: new Set(), after: new Set() };
  let drafts: { readonly finding: Finding; readonly change: Change }[] = [];
  const confidences = new Map<RuleId, Problem["confidence"]>();
  const confidence = (rule: RuleId): Problem["confidence"] => {
    const known = confidences.get(rule) ?? confidenceIn(rule, format, provider);
    confidences.set(rule, known);
    return known;
  };
  const problemOf = (
    { rule, message, callId, confidence: own }: Finding,
    path: string,
    repairable: boolean,
  ): Problem => {
    const { fix } = rules[rule];
    const sure = own ?? confidence(rule);
    return callId
      ? { rule, path, message, fix, repairable, confidence: sure, callId }
      : { rule, path, message, fix, repairable, confidence: sure };
  };
  const journal: Journal = {
    report(finding, change) {
      isInOrder = false;
      if (finding.from !== undefined) problems.push(problemOf(finding, finding.from, change !== undefined));
      if (change !== undefined && change !== "left") drafts.push({ finding, change });
    },
    note({ source, suffix, part }, finding, change) {
      const from = `${listKey}[${source.index}]${suffix}`;
      const where = { suffix, source, ...(part === undefined ? {} : { part }) };
      journal.report({ ...finding, from }, change === undefined ? undefined : { ...where, ...change });
    },
    edit(finding, change) {
      isInOrder = false;
      drafts.push({ finding, change });
    },
    answered(name, edit) {
      problems.push({ name, edit });
      edits.push(edit);
    },
    changed: () => drafts.length + edits.length > 0,
    close(paths, lists) {
      for (const { finding, change } of drafts) {
        const to = change.type === "remove" ? undefined : (change.parameter?.path ?? placeOf(change, paths, listKey));
        edits.push(finish({ finding, change, to }, lists, shown));
      }
      drafts = [];
    },
    problems() {
      const all = problems.map((found): Problem => {
        if (!("edit" in found)) return found;
        const { from, callId = "" } = found.edit;
        return problemOf(unansweredFinding({ id: callId, name: found.name }, from), from, true);
      });
      return isInOrder ? all : inOrder(all, ({ path }) => path);
    },
    edits: () => (isInOrder ? edits : inOrder(edits, ({ from }) => from)),
  };
  return journal;
}

/** The problem of a call without a result. */
export const unansweredFinding = ({ id, name }: Pick<Call, "id" | "name">, from: string | undefined): Finding => ({
  rule: "unanswered-call",
  from,
  message: `The call ${shorten(name)}${id === "" ? "" : ` (${shorten(id)})`} has no result.`,
  callId: id,
});

/** Sorts by the message index of a path. Items without one stay after their predecessor. */
function inOrder<Item>(items: readonly Item[], pathOf: (item: Item) => string | undefined): readonly Item[] {
  const keys: number[] = [];
  let last = -1;
  let isSorted = true;
  for (const item of items) {
    const path = pathOf(item);
    const key = path === undefined ? last : indexIn(path);
    isSorted &&= key >= last;
    keys.push((last = key));
  }
  if (isSorted) return items;
  const keyed = items.map((item, i) => ({ item, key: keys[i] ?? Infinity }));
  return keyed.sort((a, b) => (a.key === b.key ? 0 : a.key - b.key)).map(({ item }) => item);
}

/** The first index in a path; paths outside the messages come last. */
function indexIn(path: string): number {
  const index = Number.parseInt(path.slice(path.indexOf("[") + 1, path.indexOf("]")), 10);
  return Number.isNaN(index) ? Infinity : index;
}

/** The path of a change in the output; undefined if the value is gone. */
function placeOf(
  { entry, call, source, part, suffix = "" }: Change,
  paths: Paths,
  listKey: string,
): string | undefined {
  if (entry !== undefined) return entry.at < 0 ? undefined : paths.to(entry, call) + suffix;
  if (source === undefined || source.at < 0) return undefined;
  const moved = part === undefined ? undefined : source.slots?.get(part.place);
  if (moved !== undefined) return moved + (part?.tail ?? "");
  return part !== undefined && source.slots !== undefined ? undefined : `${listKey}[${source.at}]${suffix}`;
}

interface Written {
  readonly finding: Finding;
  readonly change: Change;
  readonly to: string | undefined;
}

/** The values that edits have shown, so that a turn with thousands of edits is shown once. */
interface Shown {
  readonly before: Set<string>;
  readonly after: Set<string>;
}

function finish({ finding, change, to }: Written, { input, output }: Lists, shown: Shown): Edit {
  const { type, parameter } = change;
  const isOwn = parameter !== undefined && "before" in parameter;
  const from = isOwn ? parameter.path : finding.from;
  const isNew = type === "insert" || type === "restore";
  const before = isOwn ? parameter.before : from === undefined || isNew ? undefined : valueAt(input, from);
  const after = parameter === undefined ? (to === undefined ? undefined : valueAt(output, to)) : parameter.after;
  const edit: { -readonly [Key in keyof Edit]: Edit[Key] } = {
    rule: finding.rule,
    type,
    lossless: change.lossless ?? true,
    reconstructed: change.reconstructed ?? false,
  };
  if (from !== undefined) edit.from = from;
  if (to !== undefined) edit.to = to;
  if (before !== undefined && isNews(before, from, shown.before)) edit.before = before;
  if (after !== undefined && isNews(after, to, shown.after)) edit.after = after;
  if (finding.callId) edit.callId = finding.callId;
  if (change.error !== undefined) edit.error = change.error;
  return edit;
}

/** True for a short value, and for the first showing of a message or part. */
function isNews(value: unknown, path: string | undefined, shown: Set<string>): boolean {
  const isLong = typeof value === "string" ? value.length > 200 : typeof value === "object" && value !== null;
  if (!isLong || path === undefined) return true;
  if (shown.has(path)) return false;
  shown.add(path);
  return true;
}
