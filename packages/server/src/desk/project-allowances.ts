import type { Allowance } from "undangle/agent";
import type { ProjectAllowance } from "undangle/client";

import type { Desk, DeskQuery } from "./desk.ts";
import type { Roster } from "./roster.ts";
import { publicId } from "./thread-key.ts";

/** An allowance of a project, and how to revoke it. */
export interface HeldAllowance {
  readonly allowance: ProjectAllowance;
  readonly revoke: (by: string) => Promise<void>;
}

const page = 200;

/**
 * The allowances of a project: those of its personas, then those of its threads. An allowance of a persona outlives the
 * thread in which it was created, so it is found by persona. Of the threads, only those are opened that have allowances,
 * or may have child threads that do.
 */
export async function* allowancesOf(
  project: string,
  { desk, roster }: { readonly desk: Desk; readonly roster: Roster },
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
  for (let after: DeskQuery["after"]; ;) {
    const entries = await desk.list(project, { limit: page, ...(after !== undefined && { after }) });
    for (const { id, found } of entries) {
      if (!found.hasAllowances && found.status === "idle") continue;
      const { thread, note } = await desk.open(project, id);
      const title = found.title === undefined ? {} : { threadTitle: found.title };
      for (const each of await thread.allowed())
        if (each.scope === "thread")
          yield {
            allowance: { ...shown(each, note.persona), ...title },
            revoke: (by) => thread.revoke(each.id, { by }),
          };
    }
    after = entries.at(-1)?.found;
    if (after === undefined || entries.length < page) return;
  }
}
