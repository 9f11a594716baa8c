import { isRecord, parseJson } from "#core";
import type { JsonObject } from "#core";

import type { MediaSource, Owner, Seal } from "./conversation.ts";
import type { Losses } from "./losses.ts";
import { base64Of, sourceOf, typeOfBytes } from "./media.ts";
import { listOf, recordOf, stringOf } from "./wire.ts";

/** The provider options that are part of the history: a signature, or encrypted reasoning. */
export interface ReadOptions {
  readonly seal: Seal | undefined;
  readonly isRedacted: boolean;
}

const nothing: ReadOptions = { seal: undefined, isRedacted: false };

/** The signature in the provider options of a message or a part. */
export function sealIn(options: unknown): ReadOptions {
  let found = nothing;
  for (const [provider, given] of Object.entries(recordOf(options))) {
    const read = (readers[provider] ?? readGoogle)(recordOf(given)); // its signatures also arrive through servers with other names
    if (read.seal !== undefined) found = read;
  }
  return found;
}

/** Reads the provider options of a message or a part. Unread options are reported as losses. */
export function readOptions(options: unknown, path: string, losses: Losses): ReadOptions {
  for (const [provider, given] of Object.entries(recordOf(options))) {
    const fields = recordOf(given);
    if (isRecord(fields["cacheControl"]) || isRecord(fields["cachePoint"])) {
      losses.add(`${path}.${provider}`, "a cache marker");
    }
    losses.others(fields, readKeys, `${path}.${provider}`);
  }
  return sealIn(options);
}

const readKeys = [
  "signature",
  "redactedData",
  "itemId",
  "reasoningEncryptedContent",
  "thoughtSignature",
  "cacheControl",
  "cachePoint",
  "phase",
];

function readSigned({ signature, redactedData }: JsonObject): ReadOptions {
  if (typeof redactedData === "string") return { seal: { owner: "anthropic", value: redactedData }, isRedacted: true };
  if (typeof signature !== "string") return nothing;
  return { seal: { owner: "anthropic", value: signature }, isRedacted: false };
}

function readOpenAi({ itemId, reasoningEncryptedContent: value, phase }: JsonObject): ReadOptions {
  if (typeof phase === "string") return { seal: { owner: "openai", value: "", phase }, isRedacted: false };
  if (typeof value !== "string" && !stringOf(itemId)?.startsWith("rs_")) return nothing;
  const id = typeof itemId === "string" ? { id: itemId } : {};
  return { seal: { owner: "openai", value: stringOf(value) ?? "", ...id }, isRedacted: false };
}

function readGoogle({ thoughtSignature: value }: JsonObject): ReadOptions {
  return typeof value === "string" ? { seal: { owner: "gemini", value }, isRedacted: false } : nothing;
}

const readers: Readonly<Record<string, (fields: JsonObject) => ReadOptions>> = {
  anthropic: readSigned,
  bedrock: readSigned,
  openai: readOpenAi,
  azure: readOpenAi,
  google: readGoogle,
  vertex: readGoogle,
};

/** OpenAI's own host. It cannot read signatures that other servers created in its format. */
const openAiHost = "api.openai.com";

/** A signature as provider options, under the SDK's name of its provider. */
export function writeOptions(seal: Seal | undefined, isRedacted = false): JsonObject {
  const options = seal === undefined ? {} : writers[seal.owner](seal, isRedacted);
  return Object.keys(options).length === 0 ? {} : { providerOptions: options };
}

const writers: Readonly<Record<Owner, (seal: Seal, isRedacted: boolean) => JsonObject>> = {
  anthropic: ({ value }, isRedacted) => ({ anthropic: isRedacted ? { redactedData: value } : { signature: value } }),
  openai: ({ value, id, phase, server }) => {
    if (server !== undefined && server !== openAiHost) return {};
    const item = { ...(id !== undefined && { itemId: id }), ...(phase !== undefined && { phase }) };
    return { openai: { ...item, ...(value === "" ? {} : { reasoningEncryptedContent: value }) } };
  },
  gemini: ({ value }) => ({ google: { thoughtSignature: value } }),
  openrouter: ({ value }) => ({ openrouter: { reasoning_details: listOf(parseJson(value)) } }),
};

export interface FoundData {
  readonly source: MediaSource;
  readonly mediaType: string | undefined;
  /** Set if the file contains only text. */
  readonly text?: string;
}

/** Bytes, a URL or a reference, in any form that the SDK accepts. */
export function readData(given: unknown): FoundData | undefined {
  if (given instanceof URL) return sourceOf(given.href);
  if (typeof given === "string") {
    if (/^(?:https?|data|s3|gs):/.test(given)) return sourceOf(given);
    return { source: { type: "bytes", data: given }, mediaType: typeOfBytes(given) };
  }
  const data = base64Of(given);
  if (data !== undefined) return { source: { type: "bytes", data }, mediaType: typeOfBytes(data) };
  if (!isRecord(given)) return undefined;
  if (given["type"] === "text" && typeof given["text"] === "string") {
    return { source: { type: "bytes", data: "" }, mediaType: "text/plain", text: given["text"] };
  }
  if (given["type"] === "data" || given["type"] === "url") return readData(given["data"] ?? given["url"]);
  return readReference(recordOf(given["reference"] ?? given));
}

/** The id of an upload, by provider name. */
function readReference(reference: JsonObject): FoundData | undefined {
  const names: readonly (readonly [string, Owner])[] = [
    ["openai", "openai"],
    ["anthropic", "anthropic"],
    ["google", "gemini"],
  ];
  for (const [name, owner] of names) {
    const id = reference[name];
    if (typeof id === "string") return { source: { type: "file", id, owner }, mediaType: undefined };
  }
  return undefined;
}
