import { repair } from "#undangle";
import type { Edit, RepairOptions, WireLogger } from "#undangle";

import type { ModelRepair } from "./tell-repair.ts";

/** How messages of the AI SDK are repaired, and who is told. */
export interface MessagesOptions extends Omit<RepairOptions, "format" | "provider" | "model"> {
  /** Called with what was changed, and only when something was. */
  readonly onRepair?: ((edits: readonly Edit[]) => void) | undefined;
}

/** The same for a step, which never leaves a call open: the model is about to be called. */
export type StepOptions = Omit<MessagesOptions, "danglingAtEnd">;

/** The same for a model, whose answers are mended too. */
export interface ModelOptions extends Omit<MessagesOptions, "onRepair"> {
  /** Called with what was wrong with a prompt or an answer, and only when something was. */
  readonly onRepair?: ((repair: ModelRepair) => void) | undefined;
  /** Gets one line for each of them; left out, the console. */
  readonly logger?: WireLogger | false | undefined;
}

/** The messages with every call answered: the same reference when nothing was wrong with them. */
export function repairMessages<List extends readonly unknown[]>(
  messages: List,
  options: MessagesOptions & { readonly model?: string | undefined },
): List {
  const { onRepair, ...rest } = options;
  const { output, edits } = repair(messages, { ...rest, format: "ai-sdk" });
  if (edits.length > 0) onRepair?.(edits);
  return output;
}
