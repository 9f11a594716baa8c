import { randomUUID } from "node:crypto";

import type { Agent, FoundThread, Logger, Thread, ThreadQuery } from "undangle/agent";

import { ApiError } from "../answers/api-error.ts";
import { localProject } from "../access/identity.ts";
import type { ClientTool } from "./client-tools.ts";
import { demandSmall, withoutNull } from "./metadata.ts";
import { createPresence } from "./presence.ts";
import { createRecovery } from "./recovery.ts";
import type { Part, Roster } from "./roster.ts";
import { keyOf, projectOf, publicId } from "./thread-key.ts";

/** What the server notes of a thread. */
export interface ThreadNote {
  readonly persona: string;
  readonly model?: string;
  readonly clientTools?: readonly ClientTool[];
  readonly useTools?: boolean;
}

/** A thread of a project, with the agent that speaks in it. */
export interface DeskThread {
  /** As its project knows it. */
  readonly id: string;
  readonly note: ThreadNote;
  /** What callers have noted. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly found: FoundThread;
  readonly thread: Thread;
  readonly agent: Agent;
  /** True while a run goes on in this process. */
  readonly isRunningHere: boolean;
}

export interface NewThread {
  readonly id?: string | undefined;
  readonly note: ThreadNote;
  readonly title?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** All threads of all projects. */
export interface Desk {
  /** A thread that is there; one that is not, or is deleted, is an error that says so. */
  open(project: string, id: string): Promise<DeskThread>;
  /** Makes a thread. `begin` puts into it what it begins with; where that fails there is no thread, and its id is free. */
  create(project: string, wanted: NewThread, begin?: (thread: Thread) => Promise<unknown>): Promise<DeskThread>;
  /** Notes other things of a thread; what is left out stays. */
  change(thread: DeskThread, changes: Partial<Omit<NewThread, "id">>): Promise<void>;
  list(project: string, query: DeskQuery): Promise<readonly DeskEntry[]>;
  /** A new thread that begins as another one does. */
  fork(
    project: string,
    entry: DeskThread,
    wish: { readonly at?: number | undefined; readonly id?: string | undefined },
  ): Promise<DeskThread>;
  delete(project: string, id: string): Promise<boolean>;
  restore(project: string, id: string): Promise<boolean>;
  /** Says, whenever it is asked, whether a thread is still there: for those who read it for long. */
  presence(thread: DeskThread): () => Promise<boolean>;
  /** Begins to go on with what dead processes left, each thread with its own agent: now, and from now on every few seconds. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

export type DeskQuery = Pick<ThreadQuery, "search" | "status" | "isDeleted" | "limit" | "after">;

export type DeskEntry = Omit<DeskThread, "thread" | "agent" | "isRunningHere">;

const sweepInterval = 10_000;

/** At least so many are read at a time where some of them may be of no interest. */
const leastPage = 200;

/** The names of notes in the `meta` of a thread: the server's own, and those of callers. */
const ownNote = "undangle/server";
const callersNote = "metadata";

export function createDesk(roster: Roster, logger: Logger): Desk {
  let sweeping: NodeJS.Timeout | undefined;
  const beingMade = new Set<string>();

  const partOf = (project: string, { persona, ...rest }: ThreadNote): Part => {
    const isKnown = roster.personas.some(({ id }) => id === persona);
    return { ...rest, project, persona: isKnown ? persona : roster.standard };
  };
  /** Threads of a chat in a terminal have its agent noted, under the name that it has here. */
  const speakerIn = ({ meta: { agent } }: FoundThread): string => (typeof agent === "string" ? agent : roster.standard);
  const entryOf = (project: string, found: FoundThread): DeskEntry => ({
    id: publicId(project, found.id),
    note: { persona: speakerIn(found), ...(found.meta[ownNote] as Partial<ThreadNote> | undefined) }, // nobody else writes it
    metadata: (found.meta[callersNote] ?? {}) as DeskThread["metadata"], // nor that
    found,
  });
  const deskThread = (project: string, found: FoundThread): DeskThread => {
    const entry = entryOf(project, found);
    const running = roster.agentRunning(found.owner); // the note may say another one since it began
    const agent = running ?? roster.agentFor(partOf(project, entry.note));
    return { ...entry, agent, thread: agent.thread(found.id), isRunningHere: running !== undefined };
  };
  /** Makes a thread under an id that nobody has; of two who want the same one gets it. */
  const reserve = async (project: string, id: string, make: (key: string) => Promise<unknown>): Promise<void> => {
    const key = keyOf(project, id);
    const taken = (): ApiError =>
      new ApiError(409, "thread/exists", `There is a thread ${JSON.stringify(id)} already.`, { param: "id" });
    if (beingMade.has(key)) throw taken();
    beingMade.add(key);
    try {
      if ((await anyone().find(key)) !== undefined) throw taken();
      await make(key);
    } finally {
      beingMade.delete(key);
    }
  };
  /** Any agent can tell what the store has. */
  const anyone = (): Agent => roster.agentFor({ persona: roster.standard, project: localProject });

  const presence = createPresence(async (key) => {
    const found = await anyone().find(key);
    return found !== undefined && found.deletedAt === undefined;
  });
  const recovery = createRecovery(async (found) => {
    const { thread, isRunningHere } = deskThread(projectOf(found.id), found);
    return isRunningHere ? undefined : thread.recover();
  }, logger);

  return {
    async open(project, id) {
      const found = await anyone().find(keyOf(project, id));
      if (found === undefined || found.deletedAt !== undefined)
        throw new ApiError(
          found === undefined ? 404 : 410,
          found === undefined ? "thread/unknown" : "thread/deleted",
          found === undefined
            ? `There is no thread ${JSON.stringify(id)}. Begin one with POST /threads, or a chat without thread_id.`
            : `The thread ${JSON.stringify(id)} is deleted. PATCH it with { "deleted": false } to have it back.`,
          { param: "thread_id" },
        );
      return deskThread(project, found);
    },
    async create(project, { id = randomUUID(), note, title, metadata }, begin) {
      demandSmall(metadata);
      const agent = roster.agentFor({ ...note, project });
      const meta = { [ownNote]: note, ...(metadata !== undefined && { [callersNote]: withoutNull(metadata) }) };
      await reserve(project, id, async (key) => {
        const thread = agent.thread(key);
        await begin?.(thread);
        await thread.describe({ ...(title !== undefined && { title }), meta });
      });
      return this.open(project, id);
    },
    async change({ thread, note, metadata }, { note: other, title, metadata: added }) {
      const noted = added === undefined ? undefined : withoutNull({ ...metadata, ...added });
      demandSmall(noted);
      await thread.describe({
        ...(title !== undefined && { title }),
        meta: {
          ...(other !== undefined && { [ownNote]: { ...note, ...other } }),
          ...(noted !== undefined && { [callersNote]: noted }),
        },
      });
    },
    async list(project, { limit = 50, ...query }) {
      const isLocal = project === localProject;
      const entries: DeskEntry[] = [];
      const size = isLocal ? Math.max(limit, leastPage) : limit;
      let { after } = query;
      for (;;) {
        const page = await anyone().threads({
          ...query,
          ...(after !== undefined && { after }),
          ...(isLocal ? {} : { idPrefix: `${project}/` }),
          limit: size,
        });
        // Those of other projects have a stroke in their ids.
        const own = isLocal ? page.filter(({ id }) => projectOf(id) === localProject) : page;
        entries.push(...own.map((found) => entryOf(project, found)));
        const last = page.at(-1);
        if (entries.length >= limit || page.length < size || last === undefined) return entries.slice(0, limit);
        after = last;
      }
    },
    async fork(project, { thread }, { at, id = randomUUID() }) {
      await reserve(project, id, (key) => thread.fork(at, { id: key }));
      return this.open(project, id);
    },
    async delete(project, id) {
      const { agent, found } = await this.open(project, id);
      const isDeleted = await agent.delete(found.id);
      presence.note(found.id, true);
      return isDeleted;
    },
    restore(project, id) {
      presence.note(keyOf(project, id), false);
      return anyone().restore(keyOf(project, id));
    },
    presence: ({ found }) => presence.of(found.id),
    async recover() {
      const look = async (): Promise<void> => {
        const [owned, due] = await Promise.all([
          anyone().threads({ isOwned: true }),
          anyone().threads({ dueBefore: Date.now() + 1 }),
        ]);
        // Others on the same store, a chat in a terminal say, have agents with tools of their own.
        recovery.add([...owned, ...due].filter(({ meta }) => ownNote in meta));
      };
      sweeping ??= setInterval(() => {
        look().catch((error: unknown) => logger.warn({ err: error }, "Threads could not be looked for; trying again"));
      }, sweepInterval).unref();
      return look();
    },
    async close() {
      clearInterval(sweeping);
      recovery.stop();
      await roster.close();
    },
  };
}
