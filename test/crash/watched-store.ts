import { StatementSync } from "node:sqlite";

import type { Entry, LedgerCall } from "../../packages/undangle/src/engine/index.ts";
import type { Commit, Store } from "../../packages/undangle/src/store/index.ts";
import type { CommitKind, Visit } from "./failpoints.ts";
import { isOnServer } from "./places.ts";

/** The same store, which says what it is about to do and what it has done. */
export function watchedStore(store: Store, visit: Visit): Store {
  const decided = new Set<string>();
  const kindsOf = (commit: Commit): readonly CommitKind[] => {
    const entries = commit.entries.map(({ value }) => value as Entry); // a ledger gave it
    const calls = commit.calls.map(({ value }) => value as LedgerCall);
    const decisions = calls.filter(({ id, decision }) => decision !== undefined && !decided.has(id));
    for (const { id } of decisions) decided.add(id);
    const kinds = new Set<CommitKind>();
    for (const { type } of entries) kinds.add(type === "input" ? "say" : "answer");
    if (decisions.length > 0) kinds.add("decision");
    for (const { state, outcome } of calls) {
      if (state === "running") kinds.add("start");
      else if (outcome?.type === "result") kinds.add("result");
      else if (outcome?.type === "notice") kinds.add("close");
    }
    return kinds.size === 0 ? ["head"] : [...kinds];
  };
  return {
    ...store,
    async commit(commit) {
      const kinds = kindsOf(commit);
      for (const kind of kinds) visit(`${kind}:before`);
      await store.commit(commit);
      for (const kind of kinds) visit(`${kind}:after`);
    },
    async load(id) {
      visit("read");
      return store.load(id);
    },
    async calls(id, range) {
      visit("read");
      return store.calls(id, range);
    },
    async list(query) {
      visit("read");
      return store.list(query);
    },
    async beat(owner, at) {
      visit("beat");
      await store.beat(owner, at);
      visit("beat");
    },
  };
}

/**
 * Comes to a place before every statement that writes, so that a process can die in the middle of a transaction. A transaction
 * on a server is one statement: there it comes to the place when that has been sent, and nobody waits for the answer.
 */
export async function watchStatements(path: string, visit: Visit): Promise<void> {
  if (isOnServer(path)) return watchConnections(visit);
  for (const name of ["run", "get"] as const) {
    const plain = StatementSync.prototype[name];
    StatementSync.prototype[name] = function watched(this: StatementSync, ...values: never[]) {
      if (!this.sourceSQL.startsWith("SELECT")) visit("statement");
      return Reflect.apply(plain, this, values) as never; // it is what the plain one gives
    };
  }
}

async function watchConnections(visit: Visit): Promise<void> {
  const { Client } = await import("pg");
  const plain = Reflect.get(Client.prototype, "query") as (...given: unknown[]) => unknown; // one of its many forms
  Client.prototype.query = function watched(this: unknown, ...given: unknown[]): never {
    const answer = Reflect.apply(plain, this, given);
    visit("statement");
    return answer as never; // it is what the plain one gives
  };
}
