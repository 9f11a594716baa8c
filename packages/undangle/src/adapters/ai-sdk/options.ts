import { repair } from "#undangle";
import type { Edit, RepairOptions, WireLogger } from "#undangle";

import type { ModelRepair } from "./tell-repair.ts";

/** Options for the repair of AI SDK messages. */
export interface MessagesOptions extends Omit<RepairOptions, "format" | "provider" | "model"> {
  /** Called with the edits, only if there are any. */
  readonly onRepair?: ((edits: readonly Edit[]) => void) | undefined;
}

/** Options for the repair of a step. It leaves no call open, because the model is called next. */
export type StepOptions = Omit<MessagesOptions, "danglingAtEnd">;

/** Options for a model, whose responses are repaired too. */
export interface ModelOptions extends Omit<MessagesOptions, "onRepair"> {
  /** Called with the repair of a prompt or a response, only if there is one. */
  readonly onRepair?: ((repair: ModelRepair) => void) | undefined;
  /** Receives one line per repair; by default the console. */
  readonly logger?: WireLogger | false | undefined;
}

/** The messages with a result for every call; the same reference if nothing was wrong. */
export function repairMessages<List extends readonly unknown[]>(
  messages: List,
  options: MessagesOptions & { readonly model?: string | undefined },
): List {
  const { onRepair, ...rest } = options;
  const { output, edits } = repair(messages, { ...rest, format: "ai-sdk" });
  if (edits.length > 0) onRepair?.(edits);
  return output;
}
