import { isRecord, textOf } from "#core";
import type { Assembly, Choice, Finish, JsonObject, TextItem, Seal } from "#core";

import { sealIn } from "../../convert/ai-sdk-options.ts";
import { base64Of, kindOf } from "../../convert/media.ts";
import type { StreamDecoder } from "../../stream/decoder.ts";
import { finishOfWord } from "./finish-words.ts";
import { createStreamedCalls } from "./calls.ts";

/** A tool definition of the AI SDK. */
export interface AiSdkTool {
  readonly type: "function";
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: JsonObject;
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
}

/**
 * Decodes the stream parts of a LanguageModelV3 or V4, which a package of the SDK created from its provider's stream.
 */
export function decodeAiSdk(assembly: Assembly, tools: readonly AiSdkTool[]): StreamDecoder {
  const choice = assembly.choice(0);
  const calls = createStreamedCalls(assembly, tools);
  const thoughts = new Map<unknown, Thought>();
  const signedTexts = new Map<unknown, unknown>(); // metadata of starts, until a delta follows

  const think = (part: JsonObject): void => {
    const { id, delta } = part;
    const known = thoughts.get(id);
    if (typeof delta === "string" && delta !== "") {
      const last = choice.order.at(-1);
      if (known !== undefined && last !== known.item) {
        known.isScattered = true;
        if (last?.type === "reasoning") last.isClosed = true; // a signature must not cover text of another block
      }
      assembly.reasoning(choice, delta);
    }
    if (known !== undefined) seal(known, part["providerMetadata"]);
  };

  const beginThought = ({ id, providerMetadata }: JsonObject): void => {
    const { seal: given } = sealIn(providerMetadata);
    const last = choice.order.at(-1);
    const isMore = given?.id !== undefined && last?.type === "reasoning" && last.seal?.id === given.id;
    const item = isMore ? last : assembly.begin(choice, "reasoning"); // OpenAI sends one reasoning item in several paragraphs
    item.isClosed = false;
    if (isMore && item.text !== "") assembly.reasoning(choice, "\n\n");
    const thought: Thought = { item, isScattered: false };
    thoughts.set(id, thought);
    seal(thought, providerMetadata);
  };

  /** A text delta. Signed text is a separate part, as Gemini sends it. */
  const say = ({ id, delta, providerMetadata }: JsonObject): void => {
    const { seal: given } = sealIn(providerMetadata);
    const text = typeof delta === "string" ? delta : "";
    if (given?.owner !== "gemini") return assembly.text(choice, text);
    signedTexts.delete(id);
    assembly.text(choice, text, given);
  };

  const showFile = ({ mediaType: type, data: given }: JsonObject): void => {
    const inner = isRecord(given) && typeof given["type"] === "string" ? (given["data"] ?? given["url"]) : given;
    const mediaType = textOf(type);
    const isAddress = inner instanceof URL || (typeof inner === "string" && /^[a-z]+:/u.test(inner));
    const data = isAddress ? undefined : base64Of(inner);
    if (data !== undefined) {
      assembly.media(choice, { type: "media", kind: kindOf(mediaType), mediaType, source: { type: "bytes", data } });
    } else if (isAddress) assembly.text(choice, `[${kindOf(mediaType)}: ${String(inner)}]`);
  };

  const finish = ({ finishReason, usage }: JsonObject): void => {
    const found = finishOf(finishReason);
    if (found !== undefined) assembly.finish(choice, found);
    const counted = usageOf(usage);
    if (counted !== undefined) assembly.usage = counted;
    calls.close();
  };

  const readers: Readonly<Record<string, (part: JsonObject) => void>> = {
    "text-start": ({ id, providerMetadata }) => void signedTexts.set(id, providerMetadata),
    "text-delta": say,
    "text-end"({ id, providerMetadata }) {
      const { seal: given } = sealIn(providerMetadata ?? signedTexts.get(id));
      if (given?.owner === "gemini") assembly.text(choice, "", given);
      if (given?.phase !== undefined) signatureText(choice.order.at(-1), given);
      signedTexts.delete(id);
    },
    "reasoning-start": beginThought,
    "reasoning-delta": think,
    "reasoning-end"(part) {
      think({ ...part, delta: undefined });
      const thought = thoughts.get(part["id"]);
      if (thought?.item.seal !== undefined) thought.item.isClosed = true; // more text would invalidate the signature
      thoughts.delete(part["id"]);
    },
    "tool-input-start": calls.begin,
    "tool-input-delta": calls.more,
    "tool-call": calls.call,
    file: showFile,
    "response-metadata": ({ id }) => void (assembly.salt = textOf(id) ?? assembly.salt),
    finish,
  };

  return {
    frame(part) {
      const { type } = part;
      if (typeof type === "string" && Object.hasOwn(readers, type)) readers[type]?.(part);
    },
    end: calls.end,
  };
}

/** Adds OpenAI's phase to a text. Later text is a separate message. */
function signatureText(item: Choice["order"][number] | undefined, given: Seal): void {
  if (item?.type !== "text" || item.seal !== undefined) return;
  item.seal = given;
  item.isClosed = true;
}

/** A reasoning block. */
interface Thought {
  readonly item: TextItem;
  /** True if part of its text is elsewhere, so that no signature fits. */
  isScattered: boolean;
}

function seal({ item, isScattered }: Thought, metadata: unknown): void {
  const found = sealIn(metadata);
  if (found.seal === undefined || isScattered) return;
  const { seal: before } = item;
  const isPoorer = found.seal.value === "" && before !== undefined && before.value !== ""; // a repeated id without other fields
  if (!isPoorer) item.seal = found.seal;
  item.isRedacted = found.isRedacted;
}

/** The finish reason; undefined for a truncated response, for which packages report another reason. */
function finishOf(given: unknown): Exclude<Finish, null> | undefined {
  const reason = isRecord(given) ? given["unified"] : given;
  const isOwnWord = !isRecord(given) || textOf(given["raw"]) !== undefined;
  const known = finishOfWord(reason);
  if (known !== undefined || reason === "interrupted") return known;
  return isOwnWord ? "error" : undefined;
}

/** The usage in the SDK's form, with input and output in one object. */
function usageOf(usage: unknown): JsonObject | undefined {
  if (!isRecord(usage)) return undefined;
  const { inputTokens: input, outputTokens: output, raw } = usage;
  const [facts, texts] = [isRecord(input) ? input : { total: input }, isRecord(output) ? output : { total: output }];
  const counts = {
    inputTokens: facts["total"],
    outputTokens: texts["total"],
    cachedInputTokens: facts["cacheRead"],
    cacheWriteTokens: facts["cacheWrite"],
    reasoningTokens: texts["reasoning"],
  };
  const known = Object.entries(counts).filter(([, count]) => typeof count === "number");
  if (known.length === 0) return undefined;
  return { ...Object.fromEntries(known), ...(isRecord(raw) && { raw }) };
}
