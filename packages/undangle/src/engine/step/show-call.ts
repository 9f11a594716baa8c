import type { Language } from "#core";

import { displayOf } from "../approvals/call-display.ts";
import type { CallDisplay } from "../approvals/call-display.ts";
import type { LedgerCall } from "../ledger/call.ts";
import type { Session } from "../run/session.ts";
import { storedFiles } from "../thread/stored-state.ts";
import type { Tool } from "../tool.ts";

/** A call that waits for a decision, with what its tool shows to the person. */
export function withDisplay(
  session: Pick<Session, "journal" | "setup">,
  call: LedgerCall,
  { tool, args }: { readonly tool: Tool; readonly args: unknown },
): LedgerCall | Promise<LedgerCall> {
  const { gate } = call;
  if (call.state !== "awaiting" || gate === undefined) return call;
  const { journal, setup } = session;
  const { id, name } = call;
  const onFault = (reason: string): void => {
    const message = unrendered[setup.language](name, reason);
    setup.logger.warn({ threadId: journal.threadId, callId: id, tool: name }, message);
    journal.emitOnSave({ type: "warning", data: { message, id } });
  };
  const agent = { name: setup.name, model: setup.model.name };
  const files = storedFiles(journal, () => false); // showing a call changes nothing
  const context = { threadId: journal.threadId, callId: id, agent, language: setup.language, files };
  const show = (display: CallDisplay | undefined): LedgerCall =>
    display === undefined ? call : { ...call, gate: { ...gate, display } };
  const display = displayOf(tool, args, { context, onFault });
  return display instanceof Promise ? display.then(show) : show(display);
}

const unrendered: Readonly<Record<Language, (tool: string, reason: string) => string>> = {
  en: (tool, reason) => `The call of ${tool} is shown without its rendering: ${reason}.`,
  zh: (tool, reason) => `${tool} 的调用未能渲染：${reason}。`,
};
