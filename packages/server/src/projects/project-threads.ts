import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

import type {
  Agent,
  Description,
  FoundThread,
  ImportOptions,
  Logger,
  PendingCall,
  Thread,
  ThreadQuery,
} from "undangle/agent";

import { ApiError } from "../responses/api-error.ts";
import { localProject } from "../access/identity.ts";
import type { ClientTool } from "./agents/client-tools.ts";
import { demandSmall, demandWellFormed, withoutNull } from "./metadata.ts";
import { createPresence } from "./presence.ts";
import { createRecovery } from "./runs/recovery.ts";
import type { Part, Roster } from "./agents/roster.ts";
import { keyOf, projectOf, publicId } from "./thread-key.ts";

/** The data that the server stores with a thread. */
export interface ThreadNote {
  readonly persona: string;
  readonly model?: string;
  readonly clientTools?: readonly ClientTool[];
  readonly useTools?: boolean;
  readonly chat?: ChatNote;
}

/** The last chat of a thread, which identifies the next request. */
export interface ChatNote {
  readonly request: string;
  /** The fingerprints of the messages; `asked` is the fingerprint of the model settings. */
  readonly sent: string;
  readonly plain: string;
  readonly asked: string;
  readonly after: number;
  /** The last event before the model started to respond to the user. */
  readonly since: number;
}

/** A thread of a project, with its agent. */
export interface ProjectThread {
  /** The id within the project. */
  readonly id: string;
  readonly note: ThreadNote;
  /** The metadata of clients. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly found: FoundThread;
  readonly thread: Thread;
  readonly agent: Agent;
  /** True while this process runs the thread. */
  readonly isRunningHere: boolean;
  /** The pending calls with the decisions that this server accepts: none, if it does not have the persona. */
  readonly pending: () => Promise<readonly PendingCall[]>;
}

export interface NewThread {
  readonly id?: string | undefined;
  readonly note: ThreadNote;
  readonly title?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** The changes of a PATCH. Absent fields stay unchanged. */
export interface ThreadChange {
  readonly title?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly persona?: string | undefined;
  /** A model of the config; null for the model of the persona. */
  readonly model?: string | null | undefined;
  /** Restores a deleted thread. */
  readonly deleted?: false | undefined;
}

/** A thread that is not saved yet. The run that starts in it saves `describe`. */
export interface UnsavedThread {
  readonly id: string;
  readonly note: ThreadNote;
  readonly thread: Thread;
  readonly describe: Description;
}

export interface ProjectThreads {
  /** An existing thread. Throws for a missing or deleted thread. */
  open(project: string, id: string): Promise<ProjectThread>;
  /** Creates a thread with the content from `fill`, in one commit. If that fails, no thread is created. */
  create(project: string, wanted: NewThread, fill?: Fill): Promise<ProjectThread>;
  /** A new thread that a run will create. Throws if no agent can be created for the note. */
  draft(project: string, note: ThreadNote, id?: string): UnsavedThread;
  /** A thread with another note. Throws if no agent can be created for the note. */
  redraft(project: string, thread: ProjectThread, note: ThreadNote): UnsavedThread & { readonly isOther: boolean };
  /** Applies all changes, or none. */
  change(project: string, id: string, changes: ThreadChange): Promise<ListedThread>;
  list(project: string, query: ProjectQuery): Promise<readonly ListedThread[]>;
  /** A new thread with the first entries of another. */
  fork(
    project: string,
    entry: ProjectThread,
    wish: { readonly at?: number | undefined; readonly id?: string | undefined; readonly title?: string | undefined },
  ): Promise<ProjectThread>;
  /** Marks a thread as deleted. `purge` removes it permanently, even if it is already marked. */
  delete(project: string, id: string, options?: { readonly purge?: boolean }): Promise<boolean>;
  /**
   * Permanently removes threads that chats without `thread_id` created, if their last change is in the given time span.
   */
  removeChats(span: ChangeSpan): Promise<number>;
  /** A function that reports whether a thread still exists, for long-lived streams. */
  presence(thread: ProjectThread): () => Promise<boolean>;
  /** Starts to resume threads of dead processes, each with its own agent: now, and again every few seconds. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

/** Times of the last change, in milliseconds: after `from`, up to `to`. */
export interface ChangeSpan {
  readonly from: number;
  readonly to: number;
}

/** Adds the first entries to a new thread, together with its note. */
export type Fill = (thread: Thread, options: Pick<ImportOptions, "describe">) => Promise<unknown>;

export type ProjectQuery = Pick<ThreadQuery, "search" | "status" | "isDeleted" | "limit" | "after">;

export type ListedThread = Omit<ProjectThread, "thread" | "agent" | "isRunningHere" | "pending">;

const sweepInterval = 10_000;

/** The note of a thread with this part. */
const noteOf = ({ model, clientTools, useTools }: Part): Omit<ThreadNote, "persona"> => ({
  ...(model !== undefined && { model }),
  ...(clientTools !== undefined && { clientTools }),
  ...(useTools !== undefined && { useTools }),
});

/** The note with another persona or model; the same note if neither is given. */
function changedNote(note: ThreadNote, change: Pick<ThreadChange, "persona" | "model">): ThreadNote {
  if (change.persona === undefined && change.model === undefined) return note;
  const { model: before = null, ...rest } = note;
  const { persona = note.persona, model = before } = change;
  return { ...rest, persona, ...(model !== null && { model }) };
}

/** The smallest page that is read if entries may be filtered out. */
const leastPage = 200;

/** The keys in the `meta` of a thread: one for the server's note, one for client metadata. */
const ownNote = "undangle/server";
const callersNote = "metadata";

/** Marks a thread that a chat without `thread_id` created, until a client describes or forks it. */
const chatNote = "undangle/server/chat";

/** Informs other parts of the server, which store data of threads. */
export interface ThreadListener {
  /** Gets the threads of dead processes, whose responses reached no client. */
  readonly onRecovered: (entry: ListedThread) => void;
  /** A thread was removed permanently. */
  readonly onPurged: (project: string, id: string) => Promise<void>;
}

export function createProjectThreads(
  roster: Roster,
  logger: Logger,
  { onRecovered, onPurged }: ThreadListener,
): ProjectThreads {
  let sweeping: NodeJS.Timeout | undefined;
  const beingMade = new Set<string>();

  const hasPersona = ({ persona }: ThreadNote): boolean => roster.personas.some(({ id }) => id === persona);
  const partOf = (project: string, note: ThreadNote): Part => {
    const { persona, chat: _chat, ...rest } = note;
    return { ...rest, project, persona: hasPersona(note) ? persona : roster.standard };
  };
  /** Threads of the terminal chat store the name of their agent, which is a persona here. */
  const speakerIn = ({ meta: { agent } }: FoundThread): string => (typeof agent === "string" ? agent : roster.standard);
  /** The note of a saved thread. A model that the config no longer has is left out. */
  const noteIn = (found: FoundThread): ThreadNote => {
    const { model, ...saved } = (found.meta[ownNote] ?? {}) as Partial<ThreadNote>; // only the server writes it
    const isKnown = model !== undefined && roster.models.includes(model);
    return { persona: speakerIn(found), ...saved, ...(isKnown && { model }) };
  };
  const entryOf = (project: string, found: FoundThread): ListedThread => ({
    id: publicId(project, found.id),
    note: noteIn(found),
    metadata: (found.meta[callersNote] ?? {}) as ProjectThread["metadata"], // only the server writes it
    found,
  });
  const projectThread = (project: string, found: FoundThread): ProjectThread => {
    const entry = entryOf(project, found);
    const running = roster.agentRunning(found.owner); // the note may have changed since the run started
    if (running !== undefined) {
      const thread = running.thread(found.id);
      return { ...entry, agent: running, thread, isRunningHere: true, pending: () => thread.pending() };
    }
    const { agent, part } = roster.speakerFor(partOf(project, entry.note));
    const { persona, chat } = entry.note; // a missing persona stays in the note; a request to run the thread reports it
    const note = { persona, ...noteOf(part), ...(chat !== undefined && { chat }) };
    const thread = agent.thread(found.id);
    const pending = async (): Promise<readonly PendingCall[]> => {
      const calls = await thread.pending();
      return hasPersona(note) ? calls : calls.map((call) => ({ ...call, foreign: true, decisions: [], always: [] }));
    };
    return { ...entry, note, agent, thread, isRunningHere: false, pending };
  };
  const findThread = async (project: string, id: string, mayBeDeleted = false): Promise<FoundThread> => {
    const found = await anyone().find(keyOf(project, id));
    // A child thread of the local thread `acme` has the key of a thread in the project `acme`.
    if (found === undefined || found.parent !== undefined)
      throw new ApiError(
        404,
        "thread/unknown",
        `There is no thread ${JSON.stringify(id)}. Create one with POST /threads, or with a chat without thread_id.`,
        { param: "thread_id" },
      );
    if (found.deletedAt !== undefined && !mayBeDeleted)
      throw new ApiError(
        410,
        "thread/deleted",
        `The thread ${JSON.stringify(id)} is deleted. PATCH it with { "deleted": false } to restore it.`,
        { param: "thread_id" },
      );
    return found;
  };
  /** Creates a thread under a free id. Of two concurrent requests for an id, one succeeds. */
  const reserve = async (project: string, id: string, make: (key: string) => Promise<unknown>): Promise<void> => {
    const key = keyOf(project, id);
    const taken = (): ApiError =>
      new ApiError(409, "thread/exists", `The thread ${JSON.stringify(id)} already exists.`, { param: "id" });
    if (beingMade.has(key)) throw taken();
    beingMade.add(key);
    try {
      if ((await anyone().find(key)) !== undefined) throw taken();
      await make(key);
      presence.note(key, false); // a thread of this id may have been purged
    } finally {
      beingMade.delete(key);
    }
  };
  /** Refuses a persona whose tools have the names of client tools in the thread. */
  const demandTools = (project: string, note: ThreadNote): void => {
    try {
      roster.agentFor(partOf(project, note));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new ApiError(error.status, error.code, error.message, { param: "persona", cause: error });
    }
  };
  /** Removes a thread permanently, with what else is stored of it. */
  const purgeThread = async (key: string, agent = anyone()): Promise<boolean> => {
    const isPurged = await agent.delete(key, { purge: true });
    const project = projectOf(key);
    const id = publicId(project, key);
    await onPurged(project, id).catch((error: unknown) =>
      logger.warn({ threadId: id, err: error }, "Responses of a purged thread could not be removed"),
    );
    return isPurged;
  };
  /** Any agent can read the store. */
  const anyone = (): Agent => roster.agentFor({ persona: roster.standard, project: localProject });

  const presence = createPresence(async (key) => {
    const found = await anyone().find(key);
    return found !== undefined && found.deletedAt === undefined;
  });
  const recovery = createRecovery(async (found) => {
    const { thread, isRunningHere, ...entry } = projectThread(projectOf(found.id), found);
    if (isRunningHere) return undefined;
    const run = await thread.recover(); // throws if its process is alive
    if (found.owner !== undefined) onRecovered(entry);
    return run;
  }, logger);

  return {
    open: async (project, id) => projectThread(project, await findThread(project, id)),
    async create(project, { id = randomUUID(), note, title, metadata }, fill) {
      demandSmall(metadata);
      const agent = roster.agentFor({ ...note, project });
      const meta = { [ownNote]: note, ...(metadata !== undefined && { [callersNote]: withoutNull(metadata) }) };
      const describe = { ...(title !== undefined && { title }), meta };
      await reserve(project, id, async (key) => {
        const thread = agent.thread(key);
        await (fill === undefined ? thread.describe(describe) : fill(thread, { describe }));
      });
      return this.open(project, id);
    },
    draft(project, note, id = randomUUID()) {
      const thread = roster.agentFor(partOf(project, note)).thread(keyOf(project, id));
      return { id, note, thread, describe: { meta: { [ownNote]: note, [chatNote]: true } } };
    },
    redraft(project, { id, note: before, thread }, note) {
      const isOther = !isDeepStrictEqual(partOf(project, before), partOf(project, note));
      const other = isOther ? roster.agentFor(partOf(project, note)).thread(keyOf(project, id)) : thread;
      return { id, note, thread: other, isOther, describe: { meta: { [ownNote]: note } } };
    },
    async change(project, id, { title, metadata: added, persona, model, deleted }) {
      demandWellFormed(title);
      const found = await findThread(project, id, deleted === false);
      const { note, metadata } = entryOf(project, found);
      const noted = added === undefined ? undefined : withoutNull({ ...metadata, ...added });
      demandSmall(noted);
      const changed = changedNote(note, { persona, model });
      if (persona !== undefined && persona !== note.persona) demandTools(project, changed);
      if (found.deletedAt !== undefined) {
        presence.note(found.id, false);
        await anyone().restore(found.id);
      }
      if (title !== undefined || changed !== note || noted !== undefined)
        await projectThread(project, await findThread(project, id)).thread.describe({
          ...(title !== undefined && { title }),
          meta: {
            [chatNote]: null,
            ...(changed !== note && { [ownNote]: changed }),
            ...(noted !== undefined && { [callersNote]: noted }),
          },
        });
      return entryOf(project, await findThread(project, id));
    },
    async list(project, { limit = 50, ...query }) {
      const isLocal = project === localProject;
      const entries: ListedThread[] = [];
      const size = isLocal ? Math.max(limit, leastPage) : limit;
      let { after } = query;
      for (;;) {
        const page = await anyone().threads({
          ...query,
          ...(after !== undefined && { after }),
          ...(isLocal ? {} : { idPrefix: `${project}/` }),
          limit: size,
        });
        // Ids of other projects contain a slash.
        const own = isLocal ? page.filter(({ id }) => projectOf(id) === localProject) : page;
        entries.push(...own.map((found) => entryOf(project, found)));
        const last = page.at(-1);
        if (entries.length >= limit || page.length < size || last === undefined) return entries.slice(0, limit);
        after = last;
      }
    },
    async fork(project, { thread, found }, { at, id = randomUUID(), title }) {
      demandWellFormed(title);
      await reserve(project, id, async (key) => {
        const fork = await thread.fork(at, { id: key, title });
        if (chatNote in found.meta) await fork.describe({ meta: { [chatNote]: null } });
      });
      return this.open(project, id);
    },
    async delete(project, id, { purge = false } = {}) {
      const found = await findThread(project, id, purge);
      const agent = roster.agentRunning(found.owner) ?? anyone();
      const isDeleted = await (purge ? purgeThread(found.id, agent) : agent.delete(found.id));
      presence.note(found.id, true);
      return isDeleted;
    },
    async removeChats({ from, to }) {
      let removed = 0;
      let after: ProjectQuery["after"] = { updatedAt: to, id: "" };
      for (;;) {
        const page = await anyone().threads({ status: "idle", after, limit: leastPage });
        for (const { id, meta, updatedAt } of page)
          if (chatNote in meta && updatedAt > from && (await purgeThread(id))) removed += 1;
        const last = page.at(-1);
        if (last === undefined || last.updatedAt <= from) return removed;
        after = last;
      }
    },
    presence: ({ found }) => presence.of(found.id),
    async recover() {
      const look = async (): Promise<void> => {
        const [owned, due] = await Promise.all([
          anyone().threads({ isOwned: true }),
          anyone().threads({ dueBefore: Date.now() + 1 }),
        ]);
        // Other programs on the same store, such as a terminal chat, have agents with other tools.
        recovery.add([...owned, ...due].filter(({ meta }) => ownNote in meta));
      };
      sweeping ??= setInterval(() => {
        look().catch((error: unknown) => logger.warn({ err: error }, "Threads could not be listed; trying again"));
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
