import { ApiError } from "../responses/api-error.ts";
import type { ThreadNote } from "../projects/project-threads.ts";
import type { Service } from "../open-service.ts";
import type { ChatRequest } from "./chat-request.ts";
import { textOf } from "./message-text.ts";

/** The persona, the model and the tools that a request names. Unknown names are refused. */
export function requestedNote({ roster }: Service, request: ChatRequest): Partial<ThreadNote> {
  const { model, persona, clientTools, useTools } = request;
  const isPersona = (id: string | undefined): boolean => roster.personas.some((each) => each.id === id);
  if (persona !== undefined && !isPersona(persona))
    throw new ApiError(
      404,
      "persona-unknown",
      `There is no persona ${JSON.stringify(persona)}. Known: ${roster.personas.map(({ id }) => id).join(", ")}.`,
      { param: "personality_id" },
    );
  const isOwnModel = model !== undefined && roster.models.includes(model);
  const isKnown =
    model === undefined || isOwnModel || isPersona(model) || roster.personas.some((each) => each.model === model);
  if (!isKnown)
    throw new ApiError(
      404,
      "model_not_found",
      `The model ${JSON.stringify(model)} does not exist here. GET /v1/models lists the models.`,
      { param: "model" },
    );
  const named = persona ?? (isPersona(model) ? model : undefined);
  return {
    ...(named !== undefined && { persona: named }),
    ...(isOwnModel && { model }),
    ...(clientTools.length > 0 && { clientTools }),
    ...(useTools !== undefined && { useTools }),
    ...(useTools === undefined && isTask(request) && { useTools: false }),
  };
}

/**
 * True for auxiliary requests of chat pages, for example for a title, tags or follow-up questions. Like the prompts of
 * Open WebUI, they quote the conversation in one message. Requests inside the quote must not run again.
 */
function isTask({ messages, clientTools }: ChatRequest): boolean {
  const [only, ...others] = messages.filter(({ role }) => role !== "system" && role !== "developer");
  if (only?.role !== "user" || others.length > 0 || clientTools.length > 0) return false;
  const text = textOf(only.content).trim();
  return text.startsWith("###") && text.includes("<chat_history>") && text.includes("</chat_history>");
}
