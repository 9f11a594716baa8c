import type { Allowance } from "undangle/agent";
import type { ProjectAllowance } from "undangle/client";

import { apiErrorOf } from "../responses/api-error.ts";
import type { ProjectThreads, ListedThread, ProjectQuery } from "./project-threads.ts";
import type { Roster } from "./agents/roster.ts";
import { publicId } from "./thread-key.ts";

/** An allowance of a project, and how to revoke it. */
export interface HeldAllowance {
  readonly allowance: ProjectAllowance;
  readonly revoke: (by: string) => Promise<void>;
}

export interface AllowanceReading {
  readonly projectThreads: ProjectThreads;
  readonly roster: Roster;
  /** Gets the error of a thread that cannot be read. The others are read nevertheless. */
  readonly onUnreadable: (threadId: string, error: unknown) => void;
}

/**
 * The allowances of a project: those of its personas, then those of its threads. An allowance of a persona outlives the
 * thread in which it was created, so it is found by persona. Of the threads, only those are opened that have allowances,
 * or may have child threads that do.
 */
export async function* allowancesOf(
  project: string,
  { projectThreads, roster, onUnreadable }: AllowanceReading,
): AsyncGenerator<HeldAllowance> {
  const shown = (each: Allowance, persona: string): ProjectAllowance => ({
    ...each,
    threadId: publicId(project, each.threadId),
    persona,
  });
  for (const { id: persona } of roster.personas) {
    const agent = roster.agentFor({ persona, project });
    for (const each of await agent.allowed())
      yield { allowance: shown(each, persona), revoke: () => agent.revoke(each.id) };
  }
  for await (const { id, found } of threadsOf(project, projectThreads)) {
    if (!found.hasAllowances && found.status === "idle") continue;
    const title = found.title === undefined ? {} : { threadTitle: found.title };
    try {
      const { thread, note } = await projectThreads.open(project, id);
      for (const each of await thread.allowed())
        if (each.scope === "thread")
          yield {
            allowance: { ...shown(each, note.persona), ...title },
            revoke: (by) => thread.revoke(each.id, { by }),
          };
    } catch (error) {
      const { status } = apiErrorOf(error);
      if (status !== 404 && status !== 410) onUnreadable(id, error); // else it was deleted since it was listed
    }
  }
}

const limit = 200;

/**
 * All threads of a project. They are listed by their last change, so one that changes meanwhile moves to pages that have
 * been read. These pages are read again until they have no other thread.
 */
async function* threadsOf(
  project: string,
  projectThreads: ProjectThreads,
): AsyncGenerator<ListedThread, void, undefined> {
  const seen = new Set<string>();
  let until = -Infinity; // the last change of all threads when they were listed before
  for (let count = -1; count < seen.size;) {
    count = seen.size;
    let newest = until;
    for (let after: ProjectQuery["after"]; ;) {
      const entries = await projectThreads.list(project, { limit, ...(after !== undefined && { after }) });
      newest = Math.max(newest, entries[0]?.found.updatedAt ?? newest);
      for (const entry of entries) {
        if (seen.has(entry.id)) continue;
        seen.add(entry.id);
        yield entry;
      }
      after = entries.at(-1)?.found;
      if (after === undefined || entries.length < limit || after.updatedAt < until) break;
    }
    until = newest;
  }
}
