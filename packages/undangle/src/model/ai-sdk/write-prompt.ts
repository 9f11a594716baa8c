import { encode } from "#codecs";
import type { Message } from "#codecs";
import { isRecord } from "#core";
import type { Language } from "#core";

import type { ModelRequest } from "../model.ts";
import type { LanguageModel } from "./language-model.ts";
import { packageOf } from "./language-model.ts";
import { withIdentities, withItemsOnce } from "./prompt-identity.ts";
import { goOn, inTurns } from "./prompt-turns.ts";

type Wire = Readonly<Record<string, unknown>>;

/** The conversation as models of the AI SDK take it: its ModelMessages, with every file and every text in the form of a prompt. */
export function writePrompt(request: ModelRequest, model: LanguageModel): readonly Wire[] {
  const { language } = request;
  const encoded = encode({ messages: messagesOf(request), setting: undefined }, { to: "ai-sdk", language });
  const written = (Array.isArray(encoded) ? encoded : []).filter(isRecord); // without a setting it is a list of messages
  const form: Form = {
    isFourth: model.specificationVersion === "v4",
    isGoogle: /google|gemini|vertex/iu.test(`${model.provider} ${model.modelId}`),
    isBedrock: /bedrock/u.test(model.provider),
    language,
  };
  const prompt = withIdentities(
    withItemsOnce(written.flatMap((message) => messageOf(message, form))),
    packageOf(model),
  );
  return inTurns(prompt, language);
}

/** Instructions first: most providers refuse those that come later. */
function messagesOf({ system, messages }: ModelRequest): readonly Message[] {
  const isLate = messages.some(({ role }) => role === "system");
  const instructions = messages.filter(({ role }) => role === "system");
  const rest = isLate ? [...instructions, ...messages.filter(({ role }) => role !== "system")] : messages;
  if (system.length === 0) return rest;
  return [{ role: "system", path: "system", parts: system, isDeveloper: false }, ...rest];
}

/** How a prompt is written. */
interface Form {
  /** Files in the form of version 4 of models. */
  readonly isFourth: boolean;
  /** The thought signatures of Google are for its models only: packages for other servers would send them along. */
  readonly isGoogle: boolean;
  /** The package of Bedrock has a name of its own for what Anthropic signs. */
  readonly isBedrock: boolean;
  readonly language: Language;
}

function messageOf(message: Wire, form: Form): readonly Wire[] {
  const { role, content } = message;
  if (role === "system") return [message];
  const given = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const parts = (Array.isArray(given) ? given : []).filter(isRecord);
  const kept = parts.filter((part) => !isBlank(part, form)).map((part) => partOf(sealedFor(part, form), form));
  if (kept.length > 0) return [{ ...message, content: kept }];
  return role === "user" ? [{ ...message, content: [{ type: "text", text: goOn[form.language] }] }] : [];
}

/** Providers refuse texts that say nothing. */
const isBlank = ({ type, text, providerOptions }: Wire, { isGoogle }: Form): boolean =>
  type === "text" && typeof text === "string" && text.trim() === "" && !(isGoogle && providerOptions !== undefined);

/** A part with the seals that are for this model. */
function sealedFor(part: Wire, { isGoogle, isBedrock }: Form): Wire {
  const { providerOptions, ...rest } = part;
  if (!isRecord(providerOptions)) return part;
  if ("google" in providerOptions && !isGoogle) return rest;
  const { anthropic } = providerOptions;
  return anthropic !== undefined && isBedrock ? { ...rest, providerOptions: { bedrock: anthropic, anthropic } } : part;
}

function partOf(part: Wire, form: Form): Wire {
  switch (part["type"]) {
    case "image":
      return fileOf({ type: "file", data: part["image"], mediaType: part["mediaType"] ?? "image/*" }, form);
    case "file":
      return fileOf(part, form);
    case "tool-result":
      return { ...part, output: outputOf(part["output"], form) };
    default:
      return part;
  }
}

/** A file, by its bytes or by its address. */
function fileOf(part: Wire, { isFourth }: Form): Wire {
  const { data } = part;
  const url = typeof data === "string" ? addressIn(data) : undefined;
  if (!isFourth) return url === undefined ? part : { ...part, data: url };
  return { ...part, data: url === undefined ? { type: "data", data } : { type: "url", url } };
}

const addressIn = (data: string): URL | undefined =>
  /^(?:https?|gs|s3):/u.test(data) && URL.canParse(data) ? new URL(data) : undefined;

/** What a tool gave back. Version 4 has one kind of part for all files. */
function outputOf(output: unknown, form: Form): unknown {
  if (!isRecord(output) || output["type"] !== "content") return output;
  const { value } = output;
  const parts = (Array.isArray(value) ? value : []).filter(isRecord);
  const written = form.isFourth ? parts.map((part) => fileInOutput(part, form)) : parts;
  return { ...output, value: form.isGoogle ? withOneText(written, form) : written };
}

/** The package of Google makes a result of each text, and none where there is none: so there is one, and then the files. */
function withOneText(parts: readonly Wire[], { language }: Form): readonly Wire[] {
  const [texts, files] = [parts.filter(isText), parts.filter((part) => !isText(part))];
  const text = texts.length === 0 ? follows[language] : texts.map((part) => String(part["text"])).join("\n");
  return [{ type: "text", text }, ...files];
}

const isText = ({ type }: Wire): boolean => type === "text";

const follows: Readonly<Record<Language, string>> = { en: "The result follows.", zh: "结果见后。" };

function fileInOutput(part: Wire, form: Form): Wire {
  if (isText(part)) return part;
  const { type, data, url, mediaType } = part;
  const usual = typeof type === "string" && type.startsWith("image") ? "image/*" : "application/octet-stream";
  return fileOf({ type: "file", data: data ?? url, mediaType: mediaType ?? usual }, form);
}
