import type { Anomaly, Edit, WireLogger, WireRepair } from "#undangle";

/** The problems of a prompt or a response, and the edits. */
export interface ModelRepair extends Pick<WireRepair, "side" | "isChanged" | "edits" | "anomalies" | "error"> {
  readonly format: "ai-sdk";
  /** The names in the model, such as `openai.chat` and `gpt-4.1`. */
  readonly provider: string;
  readonly model: string;
}

export interface ModelListeners {
  readonly onRepair: ((repair: ModelRepair) => void) | undefined;
  readonly logger: WireLogger | false;
}

export type NamedModel =
  | { readonly provider?: unknown; readonly modelId?: unknown; readonly specificationVersion?: unknown }
  | undefined;

/** Reports the repair of a response. */
export type TellAnswer = (answer: {
  readonly isChanged: boolean;
  readonly anomalies: readonly Anomaly[];
  /** The reason to withhold its calls. */
  readonly error?: string;
}) => void;

export const tellAnswer =
  (listeners: ModelListeners, model: NamedModel): TellAnswer =>
  (answer) =>
    tell(listeners, { side: "response", ...namesOf(model), ...answer });

/** Reports the repair of a prompt. */
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

/** Calls a listener without letting it throw. */
function quietly(listen: () => unknown): void {
  try {
    const heard = listen();
    if (typeof heard === "object" && heard !== null) Promise.resolve(heard).catch(() => undefined);
  } catch {
    return; // a failing listener must not affect the model call
  }
}

function lineOf({ side, provider, model, isChanged, edits = [], anomalies = [], error }: ModelRepair): string {
  const names = [...edits.map(({ rule }) => rule), ...anomalies.map(({ kind }) => kind)];
  const what = counted(names) || "how it is written";
  const whose = side === "request" ? `prompt for ${model} (${provider})` : `response of ${model} (${provider})`;
  if (error !== undefined) return `withheld calls in the ${whose}: ${what}; ${error}`;
  return `${isChanged ? "repaired" : "found damage in"} the ${whose}: ${what}`;
}

/** Each name once, with its count. */
function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`)).join(", ");
}
