import { UndangleError } from "#core";
import type { Language, Profile } from "#core";

import type { Format } from "../codec.ts";
import { codecOf } from "../formats.ts";
import { guard } from "../locate.ts";
import { repair } from "../repair.ts";
import { complete } from "./complete.ts";
import type { Conversation } from "./conversation.ts";
import { converters } from "./converters.ts";
import { fitNames } from "./fit-names.ts";
import { joinTexts } from "./join-texts.ts";
import { createLosses } from "./losses.ts";
import { narrowChoice } from "./tools.ts";
import { bodyAround } from "./translate.ts";

/** The target of a conversation, and the language of added texts. */
export interface EncodeOptions {
  readonly to: Format;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** The host of the server. */
  readonly server?: string | undefined;
  readonly language?: Language | undefined;
}

/** True for a format whose messages can contain system text. In others it would become a user message. */
export const holdsSystemText = (format: Format): boolean => converters[codecOf(format).format].hasSystemField !== true;

/** Writes a conversation as a valid history of a format: a body if it has a setting, otherwise an array of messages. */
export function encode(conversation: Conversation, options: EncodeOptions): unknown {
  const { to, provider, model, server, language = "en" } = options;
  const codec = codecOf(to);
  if (provider !== undefined && !codec.providers.includes(provider)) {
    throw new UndangleError("options/value", { option: "provider", value: provider, allowed: codec.providers });
  }
  return guard(() => {
    const losses = createLosses(to);
    const named = model ?? conversation.setting?.model;
    const names: Profile["names"] = codec.profile({ list: [], body: undefined, provider, model: named }).names;
    const whole = joinTexts(complete(conversation, language), to);
    const fitting = fitNames(whole, { calls: names, tools: converters[to].toolNames ?? names }, losses);
    const draft = converters[to].write(narrowChoice(fitting, losses), { provider, model, server }, losses);
    const messages = draft.messages.map(({ wire }) => wire);
    const output = draft.body === undefined ? messages : bodyAround(messages, draft.body, to);
    return repair(output, { format: to, provider, model, language }).output;
  });
}
