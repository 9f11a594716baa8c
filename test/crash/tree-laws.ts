import type { Ledger, LedgerCall } from "../../packages/undangle/src/engine/index.ts";
import type { DiaryLine, ThreadLine } from "./diary.ts";
import { nothing, takeSnapshot } from "./snapshot.ts";
import type { Snapshot } from "./snapshot.ts";
import { brokenLaws, brokenStoreLaws, unrest } from "./thread-laws.ts";
import { lastWords, treeThreads, verdicts } from "./tree-conversation.ts";

/** A parent and its child threads between two processes, and how much had been written down by then. */
export interface TreeSnapshot {
  readonly threads: ReadonlyMap<string, Snapshot>;
  readonly lines: number;
}

export const noTree: TreeSnapshot = { threads: new Map(), lines: 0 };

export async function snapshotOfTree(path: string, diary: readonly DiaryLine[]): Promise<TreeSnapshot> {
  const threads = new Map<string, Snapshot>();
  for (const thread of treeThreads) threads.set(thread, await takeSnapshot(path, thread));
  return { threads, lines: diary.length };
}

/** What does not hold of a tree of threads, given how it was before and what was written down. */
export function brokenTreeLaws(
  before: TreeSnapshot,
  after: TreeSnapshot,
  diary: readonly DiaryLine[],
): readonly string[] {
  const told = diary.filter((line): line is ThreadLine => "thread" in line);
  const since = diary.slice(before.lines).filter((line): line is ThreadLine => "thread" in line);
  const ofThreads = treeThreads.flatMap((thread) => {
    const [earlier, now] = [threadIn(before, thread), threadIn(after, thread)];
    const lines = told.filter((line) => line.thread === thread);
    const broken = thread === "t" ? brokenStoreLaws(earlier, now) : brokenLaws(earlier, now, lines);
    return [...broken, ...askedModelAgain(earlier, since, thread)].map((each) => `${thread}: ${each}`);
  });
  return [...ofThreads, ...askedAgain(before, since), ...lostDecisions(before, after, told), ...wrongTasks(after)];
}

/** What does not hold when everything is done. */
export function unfinished(after: TreeSnapshot): readonly string[] {
  const open = treeThreads.flatMap((thread) =>
    [...unrest(threadIn(after, thread))].map((each) => `at the end: ${thread}: ${each}`),
  );
  const turns = treeThreads.flatMap((thread) => answersIn(threadIn(after, thread))).length;
  const used = (threadIn(after, "t").head?.data as Ledger | undefined)?.usage.totalTokens; // the engine wrote it
  const decided = Object.entries(verdicts).flatMap(([id, verdict]) => {
    const decision = decisionOf(after, id);
    const isRight = decision?.type === verdict && decision.by === "Ana";
    return isRight ? [] : [`at the end: ${id} must be decided as ${verdict}, and has ${JSON.stringify(decision)}`];
  });
  return [...open, ...decided, ...(used === turns ? [] : [`at the end: ${turns} turns, and ${used} are counted`])];
}

const threadIn = ({ threads }: TreeSnapshot, thread: string): Snapshot => threads.get(thread) ?? nothing;

const answersIn = ({ entries }: Snapshot) => entries.filter(({ type }) => type === "answer");

/** The stored decision about a call of a child, by its id in the parent. */
function decisionOf(tree: TreeSnapshot, id: string): LedgerCall["decision"] {
  const [child = "", call] = id.split("/");
  return threadIn(tree, `t/${child}`).calls.find(({ value }) => value.id === call)?.value.decision;
}

/** The type of a decision that is on disk: in the child, or in the call of the parent that is to hand it on. */
function storedVerdict(tree: TreeSnapshot, id: string): string | undefined {
  const [child = "", call = ""] = id.split("/");
  const { decisions = [] } = threadIn(tree, "t").calls.find(({ value }) => value.id === child)?.value.child ?? {};
  return (
    decisionOf(tree, id)?.type ?? decisions.find((each) => Object.hasOwn(each.decisions, call))?.decisions[call]?.type
  );
}

const idOf = ({ thread, call }: { readonly thread: string; readonly call: string }): string =>
  `${thread.slice("t/".length)}/${call}`;

/** A turn that is on disk is not asked for again. */
function* askedModelAgain(before: Snapshot, since: readonly ThreadLine[], thread: string): Generator<string> {
  const had = answersIn(before).length;
  for (const line of since)
    if (line.type === "request" && line.thread === thread && line.turn < had)
      yield `the model was asked for turn ${line.turn} again, after ${had} turns were saved`;
}

/** A call that was decided is never pending again. */
function* askedAgain(before: TreeSnapshot, since: readonly ThreadLine[]): Generator<string> {
  const decided = new Set(Object.keys(verdicts).filter((id) => storedVerdict(before, id) !== undefined));
  for (const line of since) {
    if (line.type === "decided") decided.add(idOf(line));
    if (line.type === "asked" && decided.has(idOf(line))) yield `${idOf(line)} was decided, and is asked again`;
  }
}

/** What was decided, on disk or by what the person was told, stays so. */
function* lostDecisions(before: TreeSnapshot, after: TreeSnapshot, told: readonly ThreadLine[]): Generator<string> {
  const known = new Map<string, string>();
  for (const line of told) if (line.type === "decided") known.set(idOf(line), line.decision);
  for (const id of Object.keys(verdicts)) {
    const stored = storedVerdict(before, id);
    if (stored !== undefined) known.set(id, stored);
  }
  for (const [id, type] of known) {
    const now = storedVerdict(after, id);
    if (now !== type) yield `${id} was decided as ${type}, and is ${now ?? "not decided"}`;
  }
}

/** A task ends with the last text of its thread, and its files are in the parent exactly then. */
function* wrongTasks(tree: TreeSnapshot): Generator<string> {
  const { calls, files } = threadIn(tree, "t");
  const left = new Map(files);
  for (const { value: call } of calls) {
    if (call.name !== "task") continue;
    const thread = `t/${call.id}`;
    const text = call.outcome?.type === "result" ? JSON.stringify(call.outcome.parts) : call.outcome?.cause;
    if (call.outcome !== undefined && text !== JSON.stringify([{ type: "text", text: lastWords(thread) }]))
      yield `${call.id} ended as ${call.state} with ${text}`;
    for (const [path, content] of threadIn(tree, thread).files) {
      const found = left.get(path);
      left.delete(path);
      if (found !== (call.state === "succeeded" ? content : undefined))
        yield `${call.id} is ${call.state}, and the parent has ${path}: ${found}`;
    }
  }
  if (left.size > 0) yield `the parent has files of no task: ${[...left.keys()].join()}`;
}
