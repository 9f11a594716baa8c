import { errorText, suggest, UndangleError } from "#core";

import type { Io } from "../io.ts";
import { flagOf, optionNames } from "../option-table.ts";
import type { OptionName } from "../option-table.ts";
import { decideCalls } from "../threads/decide-calls.ts";
import { deleteThreads, restoreThreads } from "../threads/delete-threads.ts";
import { openDesk } from "../threads/desk.ts";
import type { Desk } from "../threads/desk.ts";
import { exportThread } from "../threads/export-thread.ts";
import { importThreads } from "../threads/import-threads.ts";
import { listThreads } from "../threads/list-threads.ts";
import { recoverThreads } from "../threads/recover-threads.ts";
import { threadFiles } from "../threads/thread-files.ts";
import { showThread } from "../threads/show-thread.ts";
import type { Arguments } from "./session.ts";

interface Action {
  readonly run: (desk: Desk) => Promise<number>;
  /** The allowed number of ids or files. */
  readonly operands: readonly [fewest: number, most: number];
  /** Besides the common options. */
  readonly options: readonly OptionName[];
  /** True if it may create the store. */
  readonly creates?: true;
  /** True if a missing store means that there is nothing to do. */
  readonly needsNone?: true;
}

const common: readonly OptionName[] = ["store", "config", "language", "json", "quiet", "noColor"];

const actions: Readonly<Record<string, Action>> = {
  list: {
    run: listThreads,
    operands: [0, 0],
    options: ["search", "status", "deleted", "limit"],
    needsNone: true,
  },
  show: { run: showThread, operands: [1, 1], options: ["full"] },
  export: { run: exportThread, operands: [1, 1], options: ["format", "output"] },
  import: { run: importThreads, operands: [0, Infinity], options: ["format", "id", "at", "lines"], creates: true },
  files: { run: threadFiles, operands: [1, 2], options: ["output", "put", "delete"] },
  recover: {
    run: recoverThreads,
    operands: [0, Infinity],
    options: ["dryRun", "goOn", "agent", "model"],
    needsNone: true,
  },
  delete: { run: deleteThreads, operands: [1, Infinity], options: ["purge", "yes"] },
  restore: { run: restoreThreads, operands: [1, Infinity], options: [] },
  decide: { run: decideCalls, operands: [1, 1], options: ["approve", "reject", "by", "agent", "model"] },
};

/** `undangle threads …`: manages the threads of a store. */
export async function threadsCommand({ operands: [name, ...operands], options }: Arguments, io: Io): Promise<number> {
  const desk = openDesk({ operands, options }, io);
  const { texts, language } = desk;
  const known = Object.keys(actions);
  const action = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) return await desk.refuse(texts.unknownAction(name, suggest(name ?? "", known), known));
  const [fewest, most] = action.operands;
  if (operands.length < fewest) return await desk.refuse(texts.needsId(name ?? ""));
  if (operands.length > most) return await desk.refuse(texts.tooMany(name ?? "", operands.slice(most)));
  const allowed = [...action.options, ...common];
  const odd = optionNames.find((option) => options[option] !== undefined && !allowed.includes(option));
  if (odd !== undefined) return await desk.refuse(texts.notIts(name ?? "", flagOf(odd), allowed.map(flagOf)));
  try {
    await desk.open({ create: action.creates === true });
    return await action.run(desk);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const isNothing = error.is("store/missing") && action.needsNone === true && operands.length === 0;
    if (isNothing) return await desk.nothing(errorText(error, language));
    const advice = error.is("thread/unknown") && error.data.nearest === undefined ? ` ${texts.seeList}` : "";
    return await desk.refuse(`${errorText(error, language)}${advice}`);
  } finally {
    await desk.close();
    await desk.session.out.flush();
  }
}

/** True for any error of the library. */
const isRefusal = (error: unknown): error is UndangleError => error instanceof UndangleError;
