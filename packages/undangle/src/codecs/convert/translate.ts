import type { JsonObject, Language, Profile } from "#core";

import { complete } from "./complete.ts";
import { converters } from "./converters.ts";
import type { ConvertibleFormat } from "./converters.ts";
import { fitNames } from "./fit-names.ts";
import { createLosses } from "./losses.ts";
import type { Loss } from "./losses.ts";
import { beforeResultLoss } from "./order-losses.ts";
import { undoRenames } from "./renames.ts";
import type { Renames } from "./renames.ts";
import { narrowChoice } from "./tools.ts";
import type { Destination, Document } from "./wire.ts";

/** A history in another format, before the repair for its provider. */
export interface Translated {
  readonly output: unknown;
  readonly losses: readonly Loss[];
  /** The original path of each output message. */
  readonly origins: readonly string[];
}

export interface Translation extends Destination {
  readonly from: ConvertibleFormat;
  readonly to: ConvertibleFormat;
  /** The name rules of the target for a model. */
  readonly namesFor: (model: string | undefined) => Profile["names"];
  /** The renames of the source repair. */
  readonly renames: Renames;
  readonly language: Language;
}

/** Reads a valid history in one format and writes it in another. */
export function translate(document: Document, translation: Translation): Translated {
  const { from, to, provider, model, namesFor, renames, language } = translation;
  const losses = createLosses(to);
  const read = converters[from].read(document, losses);
  const names = namesFor(model ?? read.setting?.model);
  const whole = undoRenames(complete(read, language), renames);
  const named = fitNames(whole, { calls: names, tools: converters[to].toolNames ?? names }, losses);
  const draft = converters[to].write(narrowChoice(named, losses), { provider, model }, losses);
  if (converters[to].isLoose !== true) beforeResultLoss(named, losses);
  const messages = draft.messages.map(({ wire }) => wire);
  const output = draft.body === undefined ? messages : bodyAround(messages, draft.body, to);
  return { output, losses: losses.list, origins: draft.messages.map(({ path }) => path) };
}

/** Builds a body in the usual key order: the model first, then the messages. */
export function bodyAround(messages: readonly unknown[], body: JsonObject, to: ConvertibleFormat): unknown {
  const { model, modelId, ...rest } = body;
  return {
    ...(model === undefined ? {} : { model }),
    ...(modelId === undefined ? {} : { modelId }),
    [converters[to].listKey]: messages,
    ...rest,
  };
}
