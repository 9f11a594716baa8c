import { anthropicSubject } from "./anthropic-subject.ts";
import { openaiChatSubject } from "./openai-chat-subject.ts";
import type { Format, Subject } from "./subject.ts";

/** The subjects by their format: one line each. */
export const subjects: Readonly<Record<Format, Subject>> = {
  "openai-chat": openaiChatSubject,
  anthropic: anthropicSubject,
};

/** Every format that there is a judge for. */
export const formats = Object.keys(subjects) as readonly Format[];
