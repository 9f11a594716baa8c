import { UndangleError } from "#core";

/** A wire format that providers stream. */
export type StreamFormat = (typeof streamFormats)[number];

/** Every format whose streams can be assembled. */
export const streamFormats = ["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "ollama"] as const;

/** Looks up a format by name. Throws an error that lists all formats for an unknown name. */
export function streamFormatOf(name: string): StreamFormat {
  const found = streamFormats.find((format) => format === name);
  if (found === undefined) {
    throw new UndangleError("format/unsupported", { format: name, supported: streamFormats });
  }
  return found;
}
