import type { CallState, Decision, Decisions, PendingCall, Thread } from "#engine";

import type { Desk } from "../desk.ts";
import { emptyLine } from "../input/line.ts";
import type { Card } from "../input/question.ts";
import { argumentLines, inexactLines } from "../view/argument-lines.ts";
import { measureIn } from "../view/face.ts";
import type { Face } from "../view/face.ts";
import { printFault, printRemark } from "../view/show-event.ts";
import { setText } from "../view/text-flow.ts";
import { shownCall } from "../view/rendered-lines.ts";
import { leftText } from "../view/size-text.ts";
import { choiceKeys, choicesFor, scopeChoices, silentKeys } from "./choices.ts";
import { editArguments } from "./edit-arguments.ts";
import type { EditOptions } from "./edit-arguments.ts";
import { printable } from "../../terminal/printable.ts";

export interface Deciding {
  readonly desk: Desk;
  /** True if the prompt appears without an action of the user. */
  readonly isSudden: boolean;
  readonly thread: Thread;
  /** Submits decisions. Returns the problem if they are refused. */
  readonly decide: (decisions: Decisions) => Promise<string | undefined>;
  readonly explain: EditOptions["explain"];
  /** Reports the call of the current prompt, so that the prompt can be dismissed when the call settles. */
  readonly asking: (id: string | undefined) => void;
}

/** Prompts for one call after another until none is pending; `later` if the user postpones them. */
export async function decidePending(table: Deciding): Promise<"decided" | "later"> {
  const { desk, thread, asking } = table;
  let { isSudden } = table;
  for (;;) {
    const pending = await thread.pending();
    const [call] = pending;
    if (call === undefined) return "decided";
    const card: Card = { call: call.id, lines: (face) => cardLines(call, pending, face) };
    for (;;) {
      asking(call.id);
      const key = await desk.ask({
        type: "choice",
        card,
        isSudden,
        choices: choicesFor(call, pending, desk.face().texts.approval),
        silent: silentKeys(call, pending),
        otherKey: desk.face().texts.approval.otherKey,
      });
      asking(undefined);
      isSudden = false;
      const isGone = !(await thread.pending()).some(({ id }) => id === call.id);
      if (isGone) {
        await tellGone(call, table);
        isSudden = true; // the next prompt replaces this one, and a key press may be under way
        break;
      }
      if (key === undefined || key === choiceKeys.later) {
        desk.show((view, face) => printRemark(view, face.texts.approval.later(pending.length), face));
        return "later";
      }
      if (await decideBy(key, call, { ...table, pending })) {
        isSudden = true; // a repeated key must not decide a call that the user has not read
        break;
      }
    }
  }
}

/** Reports the state of a call that is no longer pending, unless the user stopped it. */
async function tellGone({ id, name }: PendingCall, { desk, thread }: Deciding): Promise<void> {
  const status = (await thread.calls()).find((call) => call.id === id)?.status;
  if (status === undefined || status === "stopped" || status === "superseded") return;
  desk.show((view, face) => printRemark(view, face.texts.approval.elsewhere(name, stateText(status, face)), face));
}

const stateText = (status: CallState, { texts }: Face): string =>
  status in texts.states ? texts.states[status as keyof typeof texts.states] : texts.decided.approve; // the state exists

interface Chosen extends Deciding {
  readonly pending: readonly PendingCall[];
}

/** Applies a key. False if the user cancelled, or if the decision was refused. */
async function decideBy(key: string, call: PendingCall, table: Chosen): Promise<boolean> {
  const { desk, pending } = table;
  const texts = desk.face().texts.approval;
  const { digest } = call;
  const line = (label: string): Promise<string | undefined> => desk.ask({ type: "line", label, line: emptyLine });
  switch (key) {
    case choiceKeys.approve:
      return taken({ [call.id]: { type: "approve", digest } }, table);
    case choiceKeys.reject: {
      const reason = await line(texts.reason);
      return reason !== undefined && taken({ [call.id]: rejection(reason, digest) }, table);
    }
    case choiceKeys.respond: {
      const result = await line(texts.answer);
      return result !== undefined && taken({ [call.id]: { type: "respond", result, digest } }, table);
    }
    case choiceKeys.edit:
      return editArguments(call, desk, {
        explain: table.explain,
        accept: (args) => table.decide({ [call.id]: { type: "edit", arguments: args, digest } }),
      });
    case choiceKeys.always:
      return allowed(call, table);
    case choiceKeys.all:
      return taken(
        forAll(pending, (each) => ({ type: "approve", digest: each.digest })),
        table,
      );
    case choiceKeys["reject-all"]: {
      const reason = await line(texts.reason);
      return (
        reason !== undefined &&
        taken(
          forAll(pending, (each) => rejection(reason, each.digest)),
          table,
        )
      );
    }
    default:
      return false;
  }
}

const forAll = (pending: readonly PendingCall[], decision: (call: PendingCall) => Decision): Decisions =>
  Object.fromEntries(pending.map((call) => [call.id, decision(call)]));

const rejection = (reason: string, digest: string): Decision =>
  reason.trim() === "" ? { type: "reject", digest } : { type: "reject", reason: reason.trim(), digest };

/** Approves a call and allows similar calls in the scope that the user chooses. */
async function allowed(call: PendingCall, table: Chosen): Promise<boolean> {
  const { desk } = table;
  const { approval: texts } = desk.face().texts;
  const choices = scopeChoices(call, texts);
  const card: Card = { call: call.id, lines: ({ paint }) => [paint("bold", printable(texts.scope(call.name)))] };
  const key = await desk.ask({ type: "choice", card, choices });
  const chosen = choices.find((choice) => choice.key === key);
  if (chosen === undefined) return false;
  const always = key === "g" ? { scope: "agent" as const } : key === "s" ? { match: "arguments" as const } : true;
  const isTaken = await taken({ [call.id]: { type: "approve", always, digest: call.digest } }, table);
  if (isTaken) desk.show((view, face) => printRemark(view, texts.allowed(call.name, chosen.label), face));
  return isTaken;
}

/** True if the decisions were accepted. Otherwise prints the problem. */
async function taken(decisions: Decisions, { desk, decide }: Chosen): Promise<boolean> {
  const problem = await decide(decisions);
  if (problem === undefined) return true;
  desk.show((view, face) => printFault(view, face.texts.approval.refused(problem), face));
  return false;
}

/** The rows of a prompt besides a rendering: title, reason, note, arguments, time, keys and hint, and the live lines above. */
const besideCard = 12;

/** The prompt for a call: what it will do, and all other arguments. */
function cardLines(call: PendingCall, pending: readonly PendingCall[], face: Face): readonly string[] {
  const { paint, texts } = face;
  const place = pending.length > 1 ? ` (1/${pending.length})` : "";
  const time = call.deadline === undefined ? [] : [texts.approval.expires(leftText(call.deadline - Date.now()))];
  const own = call.path ?? call.name;
  const name = call.title === undefined ? own : `${call.title} (${own})`;
  const title = setText(texts.approval.title(name, place), measureIn(face) - 2);
  const shown = shownCall(call, {
    paint,
    columns: measureIn(face) - 2,
    rows: Math.max(face.rows - besideCard, 3),
    note: (lines) => texts.approval.moreLines(lines, call.id),
  });
  const args = argumentLines(shown.arguments, measureIn(face) - 2);
  const reason = setText(call.rule?.reason ?? "", measureIn(face) - 2).filter((line) => line !== "");
  const isForeign = call.foreign === true && call.agent !== undefined;
  const foreign = isForeign ? setText(texts.approval.foreign(call.agent), measureIn(face) - 4) : [];
  const inexact = inexactLines(call, texts.approval).flatMap((line) => setText(line, measureIn(face) - 4));
  return [
    ...title.map((line, row) => (row === 0 ? `${paint("yellow", "?")} ` : "  ") + paint("bold", line)),
    ...reason.map((line) => paint("dim", `  ${line}`)),
    ...foreign.map((line, row) => `  ${row === 0 ? paint("yellow", "!") : " "} ${line}`),
    ...[...shown.lines, ...args].map((line) => `  ${line}`),
    ...(shown.lines.length + args.length === 0 ? [paint("dim", `  ${texts.approval.noArguments}`)] : []),
    ...inexact.map((line) => `  ${paint("yellow", "!")} ${line}`),
    ...time.map((text) => paint("dim", `  ${text}`)),
  ];
}
