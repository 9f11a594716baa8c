import { chatProfile } from "./profiles.ts";

/** True for a model of the chat format that is known to accept only text. */
export function takesOnlyText(provider: string | undefined, model: string): boolean {
  const { textOnly, files } = chatProfile(provider, { model, thinking: undefined });
  return textOnly && files !== "any";
}
