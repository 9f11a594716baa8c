import type { RuleId } from "./catalogue/catalogue.ts";
import { confidenceIn, rules } from "./catalogue/catalogue.ts";
import type { Call, Entry, Source } from "./history.ts";
import { shorten } from "./rules/describe.ts";
import { valueAt } from "./path.ts";

/** One way in which the provider would refuse the history. */
export interface Problem {
  readonly rule: RuleId;
  /** Where, as in `messages[3].tool_calls[0].id`. */
  readonly path: string;
  readonly message: string;
  readonly fix: string;
  readonly repairable: boolean;
  readonly confidence: "known" | "likely";
  readonly callId?: string;
}

/** One change that a repair made. */
export interface Edit {
  readonly rule: RuleId;
  readonly type: EditType;
  /** Where it was in the input; absent for what was not there. */
  readonly from?: string;
  /** Where it is in the output; absent for what is gone. */
  readonly to?: string;
  /** What was there. A message, a part or a long text that several edits lead to is shown by one of them. */
  readonly before?: unknown;
  /** What is there now; the same holds of it. */
  readonly after?: unknown;
  /** Nothing that the input said is missing in the output. */
  readonly lossless: boolean;
  /** The output says something that the input did not: a call that was rebuilt, an answer that was matched by its place. */
  readonly reconstructed: boolean;
  readonly callId?: string;
  /** What the caller's notice generator threw; the default notice was used. */
  readonly error?: string;
}

export type EditType = "insert" | "move" | "merge" | "rename" | "rewrite" | "remove" | "quote" | "restore";

/** What is wrong. Without `from` it concerns something that we made ourselves and is not a problem of the input. */
export interface Finding {
  readonly rule: RuleId;
  readonly from: string | undefined;
  readonly message: string;
  readonly callId?: string | undefined;
  /** Set where the input alone cannot show that the provider refuses it; left out, the catalogue decides. */
  readonly confidence?: "likely";
}

/** What was done about it, and where that stands now. What was there and what is there now is read at these places. */
export interface Change {
  readonly type: EditType;
  readonly entry?: Entry;
  readonly call?: Call;
  readonly suffix?: string;
  /** The wire message that it concerns, where that is not an entry's affair. */
  readonly source?: Source;
  /** The index of the part that it concerns, in a message that is a list of parts, and what follows it. */
  readonly part?: { readonly place: number; readonly tail: string };
  /** A parameter of the body, for what stands outside the message list; `before` where it was changed in its place. */
  readonly parameter?: { readonly path: string; readonly before?: unknown; readonly after: unknown };
  readonly lossless?: boolean;
  readonly reconstructed?: boolean;
  readonly error?: string;
}

/** A place in a message of the input. */
export interface Spot {
  readonly source: Source;
  /** What follows the path of the message, as in `.content[2].text`. */
  readonly suffix: string;
  readonly part?: Change["part"];
}

/** The lists that paths lead into. */
export interface Lists {
  readonly input: readonly unknown[];
  readonly output: readonly unknown[];
}

/** How the paths of one format are written. */
export interface Paths {
  /** Where an entry, or a call of it, stood in the input. */
  from(entry: Entry, call?: Call): string | undefined;
  /** Where it stands in the output. */
  to(entry: Entry, call?: Call): string;
}

/** The edit that answers a call which stood at a certain place. */
export type AnswerEdit = Edit & { readonly from: string };

/** Collects what the rules find and what is done about it. */
export interface Journal {
  /** Notes that something is wrong and what was done. No change: it cannot be repaired; "left": it could, and is not. */
  report(finding: Finding, change?: Change | "left"): void;
  /** The same for a place in one message, which is mended where it stands. */
  note(at: Spot, finding: Omit<Finding, "from">, change?: Omit<Change, "source" | "part">): void;
  /** Notes a change that no problem stands behind: a turn that is edited anyway also meets a contested rule. */
  edit(finding: Finding, change: Change): void;
  /** Notes that a call of an open turn is answered now. Whoever calls it goes through the input from its beginning to its end. */
  answered(name: string, edit: AnswerEdit): void;
  /** True when anything was changed. */
  changed(): boolean;
  /** Says that what was changed so far is written. */
  close(paths: Paths, lists: Lists): void;
  /** Everything that was found, mended or not, in the order of the input. */
  readonly problems: () => readonly Problem[];
  /** Everything that was changed, in the order of the input. */
  edits(): readonly Edit[];
}

/** A call that is answered; what was wrong with it is put into words when somebody asks. */
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
  let isInOrder = true; // what the rules say may concern any place; answers come in the order of the input
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

/** What is said of a call without a result. */
export const unansweredFinding = ({ id, name }: Pick<Call, "id" | "name">, from: string | undefined): Finding => ({
  rule: "unanswered-call",
  from,
  message: `The call ${shorten(name)}${id === "" ? "" : ` (${shorten(id)})`} has no result.`,
  callId: id,
});

/** Sorted by the index of the message that a path speaks of; what has no such path stays behind what it was found after. */
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

/** The first index in a path; what stands around the messages comes last. */
function indexIn(path: string): number {
  const index = Number.parseInt(path.slice(path.indexOf("[") + 1, path.indexOf("]")), 10);
  return Number.isNaN(index) ? Infinity : index;
}

/** Where the object of a change stands in the output; undefined when it stands there no more. */
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

/** The places whose messages or parts were shown: a turn that thousands of edits lead to would else be shown by each. */
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

/** True for an id, a name or the like, and for the first showing of what stands at a place. */
function isNews(value: unknown, path: string | undefined, shown: Set<string>): boolean {
  const isLong = typeof value === "string" ? value.length > 200 : typeof value === "object" && value !== null;
  if (!isLong || path === undefined) return true;
  if (shown.has(path)) return false;
  shown.add(path);
  return true;
}
