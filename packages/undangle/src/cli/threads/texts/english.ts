import { grouped as number } from "../../terminal/grouped.ts";
import type { ThreadsTexts } from "./threads-texts.ts";

const plural = (count: number, one: string, many = `${one}s`): string => `${number(count)} ${count === 1 ? one : many}`;
const meant = (nearest: string | undefined): string => (nearest === undefined ? "" : ` Did you mean ${nearest}?`);

export const threadsEnglish: ThreadsTexts = {
  unknownAction: (name, nearest, known) =>
    `${name === undefined ? "No action given." : `threads has no action ${JSON.stringify(name)}.`}${meant(nearest)}\nActions: ${known.join(", ")}\nMore: undangle threads --help`,
  needsId: (action) => `${action} needs the id of a thread; undangle threads list shows them.`,
  seeList: "undangle threads list shows all threads.",
  tooMany: (action, rest) => `${action} takes fewer arguments: ${rest.join(" ")}`,
  notIts: (action, option, allowed) =>
    `${option} is not an option of threads ${action}.\nIts options: ${allowed.join(", ")}`,
  notCount: (value) => `--limit must be a whole number of at least 1, not ${JSON.stringify(value)}.`,

  columns: { id: "ID", status: "STATUS", changed: "AGE", entries: "ENTRIES", title: "TITLE" },
  statuses: { idle: "idle", running: "running", waiting: "waiting", deleted: "deleted" },
  ago(milliseconds) {
    const seconds = Math.max(0, Math.floor(milliseconds / 1000));
    if (seconds < 60) return `${seconds}s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
    return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${number(Math.floor(seconds / 86_400))}d`;
  },
  none: "There are no threads yet. undangle chat starts one.",
  noneLeft: (command) => `All threads are deleted. List them with: ${command}`,
  noneFound: "No thread matches.",
  more: (limit) => `There are more than ${number(limit)}. Use --limit to show more, --search and --status to filter.`,

  roles: {
    input: "You",
    engine: "Engine",
    answer: "Model",
    system: "Instructions",
    original: "Imported",
    retract: "Retracted",
    restore: "Restored",
  },
  states: {
    proposed: "not started",
    awaiting: "waits for a decision",
    approved: "approved, not started",
    running: "running",
    delegated: "waits for a decision in a sub-agent",
    rejected: "rejected",
    responded: "result from a person",
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
    `${{ approve: "approved", reject: "rejected", edit: "edited and approved", respond: "result given" }[type]}${by === undefined ? "" : ` by ${by}`}${reason === undefined ? "" : `: ${reason}`}`,
  allowed: "allowed before",
  inexact: (path, written, runs) => `${path} is written as ${written} but runs as ${runs}`,
  original: (format) => `a history in the format ${format}, kept to the letter (export --format original)`,
  retracted: (from) => `the model no longer gets entry ${number(from)} and later entries`,
  toldAgain: (retraction) =>
    `the model gets the entries that entry ${number(retraction)} retracted again, because no other response followed`,
  queued: (text) => `queued: ${text}`,
  reason: "REASON",
  waiting: (calls, commands) =>
    [`Pending: ${calls.join(", ")}`, ...commands.map((command) => `  ${command}`)].join("\n"),

  imported: (id, { format, entries, edits }) =>
    `${id}: imported${format === undefined ? "" : ` from ${format}`}, ${plural(entries, "entry", "entries")}${edits === 0 ? "" : `, ${plural(edits, "edit")} to make it valid; the original is kept`}`,
  unanswered: (call, told) => `  ${call}: it had no result. The model gets: ${told}`,
  awaiting: (call) => `  ${call}: pending`,
  oneId: (count) => `--id names one thread, but there are ${number(count)} to import.`,
  noFile: "import needs a FILE or input on stdin.",

  nothingLeft: "Nothing to recover: no run was interrupted.",
  atWork: (id) => `${id}: a process is running it; skipped`,
  settled: (id, isDone) => `${id}: ${isDone ? "settled" : "would be settled"} after a process died`,
  expired: (id, isDone) => `${id}: ${isDone ? "settled" : "would be settled"} because a deadline has passed`,
  left: (id) => `${id}: skipped, because its calls may still start`,
  wentOn: (id, status) => `${id}: ${threadsEnglish.ended(status)}`,
  goOn: "--go-on resumes the threads that were skipped.",
  failed: (id, why) => `${id}: ${why}`,

  fileColumns: { size: "BYTES", changed: "AGE", path: "PATH" },
  noFiles: "The thread has no files.",
  unknownFile: (path, nearest, command) =>
    `The thread has no file ${path}.${meant(nearest)}${nearest === undefined ? ` List its files with: ${command}` : ""}`,
  needsPath: (option) => `${option} needs the path of a file after the id of the thread.`,
  onlyOne: (options) => `Use only one of ${options.join(", ")}.`,
  binaryFile: (path, command) => `${path} is not text, so it is not shown on a terminal. Save it with: ${command}`,
  unfinished: (id, command) =>
    `A run of ${id} has not ended. Wait for it, or settle what a dead process left with: ${command}`,
  fileStored: (path, bytes, isNew) => `${path}: ${isNew ? "stored" : "replaced"}, ${plural(bytes, "byte")}`,
  fileDeleted: (path) => `${path}: deleted`,

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
    `Nothing to decide: use --approve CALL or --reject CALL=REASON, with all for every call. Waiting: ${calls.join(", ")}`,
  unknownCall: (call, nearest, waiting) =>
    `No pending call ${JSON.stringify(call)}.${meant(nearest)} Waiting: ${waiting.join(", ")}`,
  twice: (call) => `${call} has two decisions. Nothing was decided.`,
  demo: "The demo model is used because no other is configured. Set --model, UNDANGLE_MODEL, or model in the config.",
  unknownTools: (tools, agent) =>
    `${agent === undefined ? "The demo agent" : `The agent ${agent}`} does not have the tools of this thread: ${tools.join(", ")}. Give the config that defines them: --config FILE.`,
  ended: (status) =>
    ({
      done: "the model has responded",
      waiting: "calls wait for a decision",
      stopped: "the run was stopped",
      failed: "the run failed",
    })[status],
  runFailed: (message) => `The run failed: ${message}`,
};
