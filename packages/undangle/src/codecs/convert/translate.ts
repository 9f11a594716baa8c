import type { Language, Profile } from "#core";

import { complete } from "./complete.ts";
import { converters } from "./converters.ts";
import type { ConvertibleFormat } from "./converters.ts";
import { fitNames } from "./fit-names.ts";
import { createLosses } from "./losses.ts";
import type { Loss } from "./losses.ts";
import type { Destination, Document } from "./wire.ts";

/** A history in another format, as it was written down: not yet one that the provider takes. */
export interface Translated {
  readonly output: unknown;
  readonly losses: readonly Loss[];
  /** For each message of the output, where it stood in the input. */
  readonly origins: readonly string[];
}

export interface Translation extends Destination {
  readonly from: ConvertibleFormat;
  readonly to: ConvertibleFormat;
  /** The names that the target takes. */
  readonly names: Profile["names"];
  readonly language: Language;
}

/** Reads a healthy history in one format and writes it in another. */
export function translate(document: Document, { from, to, provider, model, names, language }: Translation): Translated {
  const losses = createLosses(to);
  const read = converters[from].read(document, losses);
  const draft = converters[to].write(fitNames(complete(read, language), names, losses), { provider, model }, losses);
  const messages = draft.messages.map(({ wire }) => wire);
  const output = draft.body === undefined ? messages : bodyAround(messages, draft.body, to);
  return { output, losses: losses.list, origins: draft.messages.map(({ path }) => path) };
}

/** The model first, then the messages, as people write it. */
function bodyAround(
  messages: readonly unknown[],
  body: Readonly<Record<string, unknown>>,
  to: ConvertibleFormat,
): unknown {
  const { model, modelId, ...rest } = body;
  return {
    ...(model === undefined ? {} : { model }),
    ...(modelId === undefined ? {} : { modelId }),
    [converters[to].listKey]: messages,
    ...rest,
  };
}
