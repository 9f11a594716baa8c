import { codecs, formats } from "#codecs";
import type { Format } from "#codecs";
import { isRecord } from "#core";

/** What a reader of histories needs to know about a format. */
export interface FormatFacts {
  readonly format: Format;
  /** The key of the message list in a body. */
  readonly listKey: string;
  /** The key of the model in a body. */
  readonly modelKey: string;
  readonly providers: readonly string[];
  /** The messages of a body or a bare list. */
  readonly messagesOf: (input: unknown) => readonly unknown[];
}

/** The facts of every format. */
export const formatFacts: readonly FormatFacts[] = formats.map((format) => {
  const { listKey, modelKey = "model", providers } = codecs[format];
  return {
    format,
    listKey,
    modelKey,
    providers,
    messagesOf: (input) => {
      const list: unknown = isRecord(input) ? input[listKey] : input;
      return Array.isArray(list) ? (list as readonly unknown[]) : []; // an array with unchecked entries
    },
  };
});
