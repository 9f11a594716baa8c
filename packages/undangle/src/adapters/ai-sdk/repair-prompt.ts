import { isRecord } from "#core";
import type { Edit } from "#undangle";

import { repairMessages } from "./options.ts";
import type { MessagesOptions } from "./options.ts";
import { retellCalls } from "./others-calls.ts";
import { withSentinel } from "./repair-step.ts";
import type { NamedModel } from "./tell-repair.ts";

type Prompt = readonly { readonly role: string }[];

/** A prompt and its edits. */
interface RepairedPrompt {
  readonly prompt: Prompt;
  readonly edits: readonly Edit[];
}

/** A prompt with a result for every call; the same reference if nothing was wrong. */
export function repairPrompt(
  prompt: Prompt,
  model: NamedModel,
  options: Omit<MessagesOptions, "onRepair">,
): RepairedPrompt {
  const retold = retellCalls(prompt, model);
  let edits: readonly Edit[] = [];
  const settings = { ...options, model: targetOf(model), onRepair: (made: readonly Edit[]) => void (edits = made) };
  // Approval responses are for the provider and their requests are absent, so none is an orphan.
  const repaired = withSentinel(retold.prompt, (list) => repairMessages(list, settings));
  if (repaired === prompt) return { prompt, edits: [] };
  const sent = repaired === retold.prompt ? repaired : asPrompt(repaired, retold.prompt);
  return { prompt: sent, edits: [...retold.edits(sent), ...edits] };
}

/** The model name after the provider prefix; undefined if there is none. */
function targetOf(model: NamedModel): string | undefined {
  const { provider, modelId } = model ?? {};
  return typeof provider === "string" && typeof modelId === "string" ? `${provider}/${modelId}` : undefined;
}

function asPrompt(repaired: Prompt, prompt: Prompt): Prompt {
  const given = new Set<unknown>(prompt);
  return repaired.map((message) => (given.has(message) ? message : asPromptMessage(message)));
}

/** A message whose content is a list of known parts. Programs may also write text, or images of another shape. */
function asPromptMessage<Message extends { readonly role: string }>(message: Message): Message {
  if (message.role === "system" || !("content" in message)) return message;
  const { content } = message;
  if (typeof content === "string") return { ...message, content: [{ type: "text", text: content }] };
  return Array.isArray(content) ? { ...message, content: content.map(asPromptPart) } : message;
}

function asPromptPart(part: unknown): unknown {
  if (!isRecord(part)) return part;
  const { type, image, data } = part;
  if (type === "image" && isAddress(image)) return { type: "file", mediaType: "image/*", data: new URL(image) };
  return type === "file" && isAddress(data) ? { ...part, data: new URL(data) } : part; // as text it would be Base64
}

const isAddress = (value: unknown): value is string =>
  typeof value === "string" && /^https?:/iu.test(value) && URL.canParse(value);
