import { UndangleError } from "#core";
import type { Language } from "#core";

import { childAgentOf } from "../children/child-thread.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { LedgerCall } from "../ledger/call.ts";
import { writeJson } from "../result/write-json.ts";
import type { Session } from "../run/session.ts";
import { toolState } from "../thread/stored-state.ts";
import type { Tool, ToolContext } from "../tool.ts";
import type { Ended } from "./attempt-tool.ts";

/** One attempt to run the tool of a call. */
export interface AttemptedCall {
  readonly call: LedgerCall;
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/** What runs instead of the proposed call. */
export interface RanInstead {
  readonly tool: Tool;
  readonly raw: string;
}

/** The tool and arguments that a hook substituted, by the context of the call. */
export const ranInstead = (context: ToolContext): RanInstead | undefined => CallContext.substituteOf(context);

/** The context of a tool. */
export class CallContext implements ToolContext {
  readonly threadId: string;
  readonly callId: string;
  readonly agent: ToolContext["agent"];
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly idempotencyKey: string;
  readonly state: ToolContext["state"];
  readonly files: ToolContext["files"];
  readonly language: Language;
  readonly depth: number;
  readonly progress: ToolContext["progress"]; // an own property, because tools destructure the context
  readonly runChild: ToolContext["runChild"];
  #substitute: RanInstead | undefined;
  #pause: Ended | undefined;

  constructor(session: Session, { call, attempt, signal }: AttemptedCall) {
    const { journal, setup, drafts } = session;
    const isRunning = (): boolean => journal.callOf(call.id)?.state === "running";
    this.threadId = journal.threadId;
    this.callId = call.id;
    this.agent = { name: setup.name, model: setup.model.name };
    this.attempt = attempt;
    this.signal = signal;
    this.idempotencyKey = `${journal.ledger().key}-${call.id}`;
    this.state = toolState(drafts.stateOf(call.id), setup.stateOwners);
    this.files = drafts.filesOf(call.id);
    this.language = setup.language;
    this.depth = journal.ledger().parent?.depth ?? 0;
    this.runChild = async (input) => {
      const current = journal.callOf(call.id) ?? call; // a hook may have substituted another tool
      const agent = childAgentOf(setup, current);
      if (agent === undefined) throw new UndangleError("tool/no-agent", { tool: current.name });
      const running = setup.children.run(session, { call: current, agent, input, signal });
      session.children.add(running);
      const outcome = await running.finally(() => session.children.delete(running));
      if (outcome.type === "end") return outcome.end;
      this.#pause =
        outcome.type === "waiting"
          ? { state: "delegated", pending: outcome.pending }
          : { state: "stopped", outcome: { type: "notice", cause: "stopped-running" } };
      throw new DOMException("The child thread has not ended.", "AbortError");
    };
    this.progress = (value = null) => {
      if (isRunning()) emitProgress(journal, { call, attempt, value, language: setup.language }); // otherwise the run has ended
    };
  }

  /** Records what a hook substitutes. Undefined if the call runs as proposed. */
  static substitute(context: ToolContext, substitute: RanInstead | undefined): void {
    if (#substitute in context) context.#substitute = substitute;
  }

  /** How the call ends because its child thread has not ended, whatever its tool or a hook returns. */
  static pauseOf(context: ToolContext): Ended | undefined {
    return #pause in context ? context.#pause : undefined;
  }

  static substituteOf(context: ToolContext): RanInstead | undefined {
    return #substitute in context ? context.#substitute : undefined;
  }
}

interface ReportedProgress extends Pick<AttemptedCall, "call" | "attempt"> {
  readonly value: unknown;
  readonly language: Language;
}

function emitProgress(journal: ThreadJournal, { call, attempt, value, language }: ReportedProgress): void {
  const { id, name } = journal.callOf(call.id) ?? call; // a hook may have substituted another tool
  const written = writeJson(value, language); // copied now, because tools often report the same object again
  if ("json" in written) {
    const progress: unknown = JSON.parse(written.json);
    journal.events.emitUnsaved({ type: "tool_call_running", data: { id, name, attempt, progress } });
  } else
    journal.events.emitUnsaved({ type: "warning", data: { id, message: unpassable[language](name, written.reason) } });
}

/** The text emitted for a progress report that is not JSON. The tool itself does not fail because of it. */
const unpassable: Readonly<Record<Language, (tool: string, reason: string) => string>> = {
  en: (tool, reason) => `What ${tool} reports of its progress cannot be passed on: ${reason}.`,
  zh: (tool, reason) => `${tool} 报告的进度无法传递：${reason}。`,
};
