import type { Anomaly, Edit, WireLogger, WireRepair } from "#undangle";

/** What was wrong with a prompt or with an answer, and what was done about it. */
export interface ModelRepair extends Pick<WireRepair, "side" | "isChanged" | "edits" | "anomalies" | "error"> {
  readonly format: "ai-sdk";
  /** As the model names them: `openai.chat` and `gpt-4.1`, say. */
  readonly provider: string;
  readonly model: string;
}

/** Who is told. */
export interface ModelListeners {
  readonly onRepair: ((repair: ModelRepair) => void) | undefined;
  readonly logger: WireLogger | false;
}

/** A model, as far as it is told of. */
export type NamedModel =
  | { readonly provider?: unknown; readonly modelId?: unknown; readonly specificationVersion?: unknown }
  | undefined;

/** Tells what was wrong with an answer. */
export type TellAnswer = (answer: {
  readonly isChanged: boolean;
  readonly anomalies: readonly Anomaly[];
  /** Why its calls were not handed on. */
  readonly error?: string;
}) => void;

export const tellAnswer =
  (listeners: ModelListeners, model: NamedModel): TellAnswer =>
  (answer) =>
    tell(listeners, { side: "response", ...namesOf(model), ...answer });

/** Tells what was changed in a prompt. */
export function tellPrompt(listeners: ModelListeners, model: NamedModel, edits: readonly Edit[]): void {
  tell(listeners, { side: "request", ...namesOf(model), isChanged: true, edits });
}

const namesOf = (model: NamedModel): Pick<ModelRepair, "format" | "provider" | "model"> => ({
  format: "ai-sdk",
  provider: typeof model?.provider === "string" ? model.provider : "unknown",
  model: typeof model?.modelId === "string" ? model.modelId : "unknown",
});

function tell({ onRepair, logger }: ModelListeners, repair: ModelRepair): void {
  quietly(() => onRepair?.(repair));
  if (logger !== false) quietly(() => logger.warn(`undangle: ${lineOf(repair)}`));
}

/** Whoever listens cannot disturb what is being done, also not later. */
function quietly(listen: () => unknown): void {
  try {
    const heard = listen();
    if (typeof heard === "object" && heard !== null) Promise.resolve(heard).catch(() => undefined);
  } catch {
    return; // the listener's own affair
  }
}

function lineOf({ side, provider, model, isChanged, edits = [], anomalies = [], error }: ModelRepair): string {
  const names = [...edits.map(({ rule }) => rule), ...anomalies.map(({ kind }) => kind)];
  const what = counted(names) || "how it is written";
  const whose = side === "request" ? `prompt for ${model} (${provider})` : `response of ${model} (${provider})`;
  if (error !== undefined) return `withheld calls in the ${whose}: ${what}; ${error}`;
  return `${isChanged ? "repaired" : "found damage in"} the ${whose}: ${what}`;
}

/** Each name once, with how often it came. */
function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`)).join(", ");
}
