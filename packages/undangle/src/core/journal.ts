import type { RuleId } from "./catalogue/catalogue.ts";
import { confidenceIn, rules } from "./catalogue/catalogue.ts";
import type { Call, Entry, Source } from "./history.ts";

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
  readonly before?: unknown;
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
}

/** What was done about it, and where that stands now. */
export interface Change {
  readonly type: EditType;
  readonly entry?: Entry;
  readonly call?: Call;
  readonly suffix?: string;
  /** The wire message that it concerns, where that is not an entry's affair. */
  readonly source?: Source;
  /** The path in the output, for what stands outside the message list. */
  readonly to?: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly lossless?: boolean;
  readonly reconstructed?: boolean;
  readonly error?: string;
}

/** A place in a message of the input. */
export interface Spot {
  readonly source: Source;
  /** What follows the path of the message, as in `.content[2]`. */
  readonly suffix: string;
}

/** How the paths of one format are written. */
export interface Paths {
  /** Where an entry, or a call of it, stood in the input. */
  from(entry: Entry, call?: Call): string | undefined;
  /** Where it stands in the output. */
  to(entry: Entry, call?: Call): string;
}

/** Collects what the rules find and what is done about it, in the order of finding. */
export interface Journal {
  readonly problems: Problem[];
  /** Notes that something is wrong and what was done. No change: it cannot be repaired; "left": it could, and is not. */
  report(finding: Finding, change?: Change | "left"): void;
  /** The same for a place in one message, which is mended where it stands. */
  note(at: Spot, finding: Omit<Finding, "from">, change?: Omit<Change, "source" | "suffix">): void;
  /** Notes a change that no problem stands behind: a turn that is edited anyway also meets a contested rule. */
  edit(finding: Finding, change: Change): void;
  /** True when anything was changed. */
  changed(): boolean;
  /** The edits with their final places; `written` gives what stands at an entry in the output. */
  edits(paths: Paths, written: (entry: Entry) => unknown): Edit[];
}

export function createJournal(to: {
  readonly format: string;
  readonly provider: string | undefined;
  readonly listKey: string;
}): Journal {
  const { format, provider, listKey } = to;
  const problems: Problem[] = [];
  const confidences = new Map<RuleId, Problem["confidence"]>();
  const confidence = (rule: RuleId): Problem["confidence"] => {
    const known = confidences.get(rule) ?? confidenceIn(rule, format, provider);
    confidences.set(rule, known);
    return known;
  };
  const drafts: { readonly finding: Finding; readonly change: Change }[] = [];
  const journal: Journal = {
    problems,
    report(finding, change) {
      if (finding.from !== undefined) {
        problems.push({
          rule: finding.rule,
          path: finding.from,
          message: finding.message,
          fix: rules[finding.rule].fix,
          repairable: change !== undefined,
          confidence: confidence(finding.rule),
          ...(finding.callId ? { callId: finding.callId } : {}),
        });
      }
      if (change !== undefined && change !== "left") drafts.push({ finding, change });
    },
    note({ source, suffix }, finding, change) {
      const from = `${listKey}[${source.index}]${suffix}`;
      journal.report({ ...finding, from }, change === undefined ? undefined : { ...change, source, suffix });
    },
    edit(finding, change) {
      drafts.push({ finding, change });
    },
    changed: () => drafts.length > 0,
    edits: (paths, written) =>
      drafts.map(({ finding, change }) => {
        const { source, suffix = "" } = change;
        const here = source === undefined || source.at < 0 ? undefined : `${listKey}[${source.at}]${suffix}`;
        return finish(finding, change, { paths, written, here });
      }),
  };
  return journal;
}

interface Places {
  readonly paths: Paths;
  readonly written: (entry: Entry) => unknown;
  /** Where the message of the change stands now. */
  readonly here: string | undefined;
}

function finish(finding: Finding, change: Change, { paths, written, here }: Places): Edit {
  const { entry, call } = change;
  const stands = change.type !== "remove" && entry !== undefined && entry.at >= 0;
  const to =
    change.to ?? (stands ? paths.to(entry, call) + (change.suffix ?? "") : change.type === "remove" ? undefined : here);
  const after = "after" in change ? change.after : stands ? written(entry) : undefined;
  return {
    rule: finding.rule,
    type: change.type,
    ...(finding.from === undefined ? {} : { from: finding.from }),
    ...(to === undefined ? {} : { to }),
    ...(change.before === undefined ? {} : { before: change.before }),
    ...(after === undefined ? {} : { after }),
    lossless: change.lossless ?? true,
    reconstructed: change.reconstructed ?? false,
    ...(finding.callId ? { callId: finding.callId } : {}),
    ...(change.error === undefined ? {} : { error: change.error }),
  };
}
