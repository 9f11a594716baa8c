import { repair } from "#undangle";
import type { Edit, RepairOptions } from "#undangle";

/** How messages of the AI SDK are repaired, and who is told. */
export interface MessagesOptions extends Omit<RepairOptions, "format" | "provider" | "model"> {
  /** Called with what was changed, and only when something was. */
  readonly onRepair?: ((edits: readonly Edit[]) => void) | undefined;
}

/** The same for a step, which never leaves a call open: the model is about to be called. */
export type StepOptions = Omit<MessagesOptions, "danglingAtEnd">;

/** The messages with every call answered: the same reference when nothing was wrong with them. */
export function repairMessages<List extends readonly unknown[]>(messages: List, options: MessagesOptions): List {
  const { onRepair, ...rest } = options;
  const { output, edits } = repair(messages, { ...rest, format: "ai-sdk" });
  if (edits.length > 0) onRepair?.(edits);
  return output;
}
