import { UndangleError } from "#core";

import { anthropic } from "./anthropic/codec.ts";
import type { Codec, Format } from "./codec.ts";
import { openaiChat } from "./openai-chat/codec.ts";

/** The codecs by their format: one line each. */
export const codecs: Readonly<Record<Format, Codec>> = {
  "openai-chat": openaiChat,
  anthropic,
};

/** Every format that can be checked and repaired. */
export const formats = Object.keys(codecs) as readonly Format[];

/** The codec of a format, with an error that lists them for a name that is none. */
export function codecOf(format: string): Codec {
  const codec = Object.hasOwn(codecs, format) ? codecs[format as Format] : undefined;
  if (codec === undefined) throw new UndangleError("format/unsupported", { format, supported: formats });
  return codec;
}
