import { isRecord, isTooDeep, UndangleError } from "#core";
import type { JsonObject, Language } from "#core";

import { readArguments } from "../arguments-text.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import { entryText } from "../ledger/entry.ts";
import { nextOf } from "../ledger/step.ts";
import type { ToolInput } from "../schema/input-schema.ts";
import { tool } from "../tool.ts";
import type { Tool } from "../tool.ts";
import type { Session } from "./session.ts";
import type { OutputSetup } from "./setup.ts";

const outputName = "final_answer";

/** The tool for the structured output of a model. The user did not write it, so errors concern the option. */
export function outputTool(input: ToolInput, language: Language): Tool {
  try {
    return tool({
      name: outputName,
      description:
        language === "zh"
          ? "给出最终答案。完成所有工作后调用它一次。"
          : "Gives the final answer. Call it once, when everything else is done.",
      input,
      annotations: { readOnly: true }, // every mode offers it
      execute: () => (language === "zh" ? "已收到。" : "Received."),
    });
  } catch (error) {
    if (!(error instanceof UndangleError && error.is("tool/schema"))) throw error;
    const reason = error.data.reason.replace(/, but the arguments of a tool must be an object$/u, "");
    const allowed = [`a schema that describes an object (this one cannot be used: ${reason})`];
    throw new UndangleError("options/value", { option: "output", value: input, allowed }, { cause: error });
  }
}

const mostReminders = 2;

/**
 * The final answer, once the model has given it and all calls of that turn are settled. A model that omits it is
 * reminded.
 */
export async function outputOf(session: Session): Promise<{ readonly value: unknown } | undefined> {
  const { journal, setup } = session;
  const next = nextOf(journal.ledger());
  if (setup.output === undefined || (next !== "ask" && next !== "rest")) return undefined;
  if (journal.recorded().at(-1)?.entry.type !== "answer") return undefined;
  const output = await givenOutput(journal, setup.output);
  if (output === undefined && next === "rest" && session.ending() === undefined) remind(session);
  return output;
}

/** The final answer in the last turn. */
export async function givenOutput(
  journal: ThreadJournal,
  { tool }: OutputSetup,
): Promise<{ readonly value: unknown } | undefined> {
  const last = journal.recorded().at(-1);
  if (last?.entry.type !== "answer") return undefined;
  const call = last.calls.find(({ name, state }) => name === outputName && state === "succeeded");
  const given =
    call !== undefined ? objectIn(call.raw) : last.calls.length === 0 ? objectIn(entryText(last.entry)) : undefined;
  const validated = given === undefined ? undefined : await tool.validate(given);
  return validated?.ok === true ? { value: validated.value } : undefined;
}

function remind(session: Session): void {
  const { journal, setup } = session;
  if (session.reminders >= mostReminders) throw new UndangleError("output/missing", { asked: session.reminders });
  session.reminders++;
  const text =
    setup.language === "zh"
      ? `请调用 ${outputName} 给出最终答案。`
      : `Please give your final answer by calling ${outputName}.`;
  const entry = { type: "input", by: "engine", at: setup.now(), parts: [{ type: "text", text }] } as const;
  journal.apply({ type: "say", entry });
}

/** Parses a text as a JSON object. A code fence around it is allowed. */
function objectIn(text: string): JsonObject | undefined {
  const inner = /^\s*```(?:json)?\n(.*)\n```\s*$/su.exec(text)?.[1] ?? text;
  if (isTooDeep(inner)) return undefined;
  try {
    const { value, isFinite } = readArguments(inner);
    return isRecord(value) && isFinite ? value : undefined;
  } catch {
    return undefined; // it is plain text
  }
}
