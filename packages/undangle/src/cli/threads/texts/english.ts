import type { ThreadsTexts } from "./threads-texts.ts";

const number = (value: number): string => value.toLocaleString("en");
const plural = (count: number, one: string, many = `${one}s`): string => `${number(count)} ${count === 1 ? one : many}`;
const meant = (nearest: string | undefined): string => (nearest === undefined ? "" : ` Did you mean ${nearest}?`);

/** What `undangle threads` says in English. */
export const threadsEnglish: ThreadsTexts = {
  unknownAction: (name, nearest, known) =>
    `${name === undefined ? "What is to be done with the threads?" : `threads has no action ${JSON.stringify(name)}.`}${meant(nearest)}\nActions: ${known.join(", ")}\nMore: undangle threads --help`,
  needsId: (action) => `${action} needs the id of a thread; undangle threads list shows them.`,
  seeList: "undangle threads list shows those that there are.",
  tooMany: (action, rest) => `${action} does not take so much: ${rest.join(" ")}`,
  notIts: (action, option, allowed) =>
    `${option} is not an option of threads ${action}.\nIts options: ${allowed.join(", ")}`,
  notCount: (value) => `--limit has to be a whole number from 1 on, and not ${JSON.stringify(value)}.`,

  columns: { id: "ID", status: "STATUS", changed: "AGE", entries: "ENTRIES", title: "TITLE" },
  statuses: { idle: "idle", running: "running", waiting: "waiting", deleted: "deleted" },
  ago(milliseconds) {
    const seconds = Math.max(0, Math.floor(milliseconds / 1000));
    if (seconds < 60) return `${seconds}s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
    return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${number(Math.floor(seconds / 86_400))}d`;
  },
  none: "There are no threads yet. undangle chat begins one.",
  noneLeft: (command) => `There are no threads but deleted ones: ${command}`,
  noneFound: "No thread is like that.",
  more: (limit) => `There are more than ${number(limit)}; --limit shows more, --search and --status narrow it down.`,

  roles: {
    input: "You",
    engine: "Engine",
    answer: "Model",
    system: "Instructions",
    original: "Imported",
    retract: "Taken back",
    restore: "Told again",
  },
  states: {
    proposed: "not started",
    awaiting: "waits for a decision",
    approved: "approved, not started",
    running: "running",
    rejected: "rejected",
    responded: "answered by a person",
    superseded: "superseded, not executed",
    expired: "expired, not executed",
    succeeded: "succeeded",
    failed: "failed",
    "timed-out": "timed out, outcome unknown",
    stopped: "stopped",
    lost: "lost, outcome unknown",
    unanswered: "imported without a result",
  },
  reasoning: "Reasoning",
  media: "media",
  folded: (lines, characters) =>
    `… ${lines > 0 ? `${plural(lines, "line")} more, ` : ""}${plural(characters, "character")} in all; --full shows them`,
  decided: ({ type, by, reason }) =>
    `${{ approve: "approved", reject: "rejected", edit: "edited and approved", respond: "answered" }[type]}${by === undefined ? "" : ` by ${by}`}${reason === undefined ? "" : `: ${reason}`}`,
  allowed: "allowed before",
  inexact: (path, written, runs) => `${path} is written ${written}, and runs as ${runs}`,
  original: (format) => `a history in the format ${format}, kept to the letter (export --format original)`,
  retracted: (from) => `the entries from ${number(from)} on are not told to the model any more`,
  toldAgain: (retraction) =>
    `what entry ${number(retraction)} took back is told to the model again: no other answer has come`,
  queued: (text) => `waits to be said: ${text}`,
  reason: "REASON",
  waiting: (calls, commands) =>
    [`Waits for a decision: ${calls.join(", ")}`, ...commands.map((command) => `  ${command}`)].join("\n"),

  imported: (id, { format, entries, edits }) =>
    `${id}: imported${format === undefined ? "" : ` from ${format}`}, ${plural(entries, "entry", "entries")}${edits === 0 ? "" : `, ${plural(edits, "edit")} to make it healthy; the original is kept`}`,
  unanswered: (call, told) => `  ${call}: it had no result. The model is told: ${told}`,
  awaiting: (call) => `  ${call}: it waits for a decision`,
  oneId: (count) => `--id names one thread, and there are ${number(count)} to import.`,
  noFile: "import needs a FILE, or something on stdin.",

  nothingLeft: "Nothing to recover: no process has left a thread in the middle of a run.",
  atWork: (id) => `${id}: a process is at work there; left alone`,
  settled: (id, isDone) => `${id}: ${isDone ? "settled" : "would be settled"} after a process died`,
  expired: (id, isDone) => `${id}: ${isDone ? "settled" : "would be settled"} because time is over`,
  left: (id) => `${id}: left as it is, because calls in it may still start`,
  wentOn: (id, status) => `${id}: ${threadsEnglish.ended(status)}`,
  goOn: "--go-on lets the agent go on with those that were left.",
  failed: (id, why) => `${id}: ${why}`,

  confirm: (ids) => `Delete ${ids.length === 1 ? (ids[0] ?? "") : plural(ids.length, "thread")}? [y/N] `,
  confirmPurge: (ids) =>
    `Remove ${ids.length === 1 ? (ids[0] ?? "") : plural(ids.length, "thread")} permanently? This cannot be undone. [y/N] `,
  purgeNeedsYes: "--purge cannot be undone. Without a terminal, confirm it with --yes.",
  purged: (id) => `${id}: removed permanently`,
  kept: "Nothing was deleted.",
  deleted: (id) => `${id}: deleted`,
  deletedAlready: (id) => `${id}: was deleted already`,
  restored: (id) => `${id}: restored`,
  notDeleted: (id) => `${id}: is not deleted`,
  undo: (command) => `Undo: ${command}`,

  nothingDecided: (calls) =>
    `Say what is decided: --approve CALL or --reject CALL=REASON, with all for every call. Waiting: ${calls.join(", ")}`,
  unknownCall: (call, nearest, waiting) =>
    `No call ${JSON.stringify(call)} waits for a decision.${meant(nearest)} Waiting: ${waiting.join(", ")}`,
  twice: (call) => `${call} is decided about twice. Nothing was decided.`,
  demo: "The demo model answers, because no other is named: --model, UNDANGLE_MODEL, or model in the config.",
  unknownTools: (tools, agent) =>
    `${agent === undefined ? "The demo agent" : `The agent ${agent}`} does not have the tools of this thread: ${tools.join(", ")}. Name the config that has them: --config FILE.`,
  ended: (status) =>
    ({
      done: "the model has answered",
      waiting: "calls wait for a decision",
      stopped: "the run was stopped",
      failed: "the run failed",
    })[status],
  runFailed: (message) => `The run failed: ${message}`,
};
