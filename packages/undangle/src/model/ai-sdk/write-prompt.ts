import { encode } from "#codecs";
import type { Message } from "#codecs";
import { isRecord } from "#core";
import type { JsonObject, Language } from "#core";

import type { ModelRequest } from "../model.ts";
import type { LanguageModel } from "./language-model.ts";
import { packageOf } from "./language-model.ts";
import { systemMessages } from "./prompt-cache.ts";
import { withIdentities, withItemsOnce } from "./prompt-identity.ts";
import { goOn, inTurns } from "./prompt-turns.ts";

/** The conversation as a prompt of the AI SDK: its ModelMessages, with files and texts in the form of a prompt. */
export function writePrompt(request: ModelRequest, model: LanguageModel): readonly JsonObject[] {
  const { language } = request;
  const encoded = encode({ messages: messagesOf(request), setting: undefined }, { to: "ai-sdk", language });
  const written = (Array.isArray(encoded) ? encoded : []).filter(isRecord); // without settings it is a list of messages
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

/** Instructions first: most providers refuse later ones. */
function messagesOf(request: ModelRequest): readonly Message[] {
  const { messages } = request;
  const isLate = messages.some(({ role }) => role === "system");
  const instructions = messages.filter(({ role }) => role === "system");
  const rest = isLate ? [...instructions, ...messages.filter(({ role }) => role !== "system")] : messages;
  const first = systemMessages(request).map((parts): Message => ({
    role: "system",
    path: "system",
    parts,
    isDeveloper: false,
  }));
  return first.length === 0 ? rest : [...first, ...rest];
}

/** The version of a prompt. */
interface Form {
  /** True for files in the form of version 4. */
  readonly isFourth: boolean;
  /** Only Google's models accept thought signatures; packages for other servers would send them too. */
  readonly isGoogle: boolean;
  /** The package of Bedrock has its own key for Anthropic signatures. */
  readonly isBedrock: boolean;
  readonly language: Language;
}

function messageOf(message: JsonObject, form: Form): readonly JsonObject[] {
  const { role, content } = message;
  if (role === "system") return [message];
  const given = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const parts = (Array.isArray(given) ? given : []).filter(isRecord);
  const kept = parts.filter((part) => !isBlank(part, form)).map((part) => partOf(sealedFor(part, form), form));
  if (kept.length > 0) return [{ ...message, content: kept }];
  return role === "user" ? [{ ...message, content: [{ type: "text", text: goOn[form.language] }] }] : [];
}

/** Providers refuse blank texts. */
const isBlank = ({ type, text, providerOptions }: JsonObject, { isGoogle }: Form): boolean =>
  type === "text" && typeof text === "string" && text.trim() === "" && !(isGoogle && providerOptions !== undefined);

/** A part with the signatures for this model. */
function sealedFor(part: JsonObject, { isGoogle, isBedrock }: Form): JsonObject {
  const { providerOptions, ...rest } = part;
  if (!isRecord(providerOptions)) return part;
  if ("google" in providerOptions && !isGoogle) return rest;
  const { anthropic } = providerOptions;
  return anthropic !== undefined && isBedrock ? { ...rest, providerOptions: { bedrock: anthropic, anthropic } } : part;
}

function partOf(part: JsonObject, form: Form): JsonObject {
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

/** A file by its bytes or its URL. */
function fileOf(part: JsonObject, { isFourth }: Form): JsonObject {
  const { data } = part;
  const url = typeof data === "string" ? addressIn(data) : undefined;
  if (!isFourth) return url === undefined ? part : { ...part, data: url };
  return { ...part, data: url === undefined ? { type: "data", data } : { type: "url", url } };
}

const addressIn = (data: string): URL | undefined =>
  /^(?:https?|gs|s3):/u.test(data) && URL.canParse(data) ? new URL(data) : undefined;

/** The result of a tool. Version 4 has one kind of part for all files. */
function outputOf(output: unknown, form: Form): unknown {
  if (!isRecord(output) || output["type"] !== "content") return output;
  const { value } = output;
  const parts = (Array.isArray(value) ? value : []).filter(isRecord);
  const written = form.isFourth ? parts.map((part) => fileInOutput(part, form)) : parts;
  return { ...output, value: form.isGoogle ? withOneText(written, form) : written };
}

/** The package of Google creates a result per text, and none without text. So there is one text, then the files. */
function withOneText(parts: readonly JsonObject[], { language }: Form): readonly JsonObject[] {
  const [texts, files] = [parts.filter(isText), parts.filter((part) => !isText(part))];
  const text = texts.length === 0 ? follows[language] : texts.map((part) => String(part["text"])).join("\n");
  return [{ type: "text", text }, ...files];
}

const isText = ({ type }: JsonObject): boolean => type === "text";

const follows: Readonly<Record<Language, string>> = { en: "The result follows.", zh: "结果见后。" };

function fileInOutput(part: JsonObject, form: Form): JsonObject {
  if (isText(part)) return part;
  const { type, data, url, mediaType } = part;
  const usual = typeof type === "string" && type.startsWith("image") ? "image/*" : "application/octet-stream";
  return fileOf({ type: "file", data: data ?? url, mediaType: mediaType ?? usual }, form);
}
