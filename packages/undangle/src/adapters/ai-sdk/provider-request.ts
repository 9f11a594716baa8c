import { isRecord } from "#core";

import type { ModelCall } from "./model-turn.ts";
import type { NamedModel } from "./tell-repair.ts";

type Wire = Readonly<Record<string, unknown>>;

/** A message of a prompt, or a part of it. */
export interface Place {
  readonly message: number;
  readonly part?: number;
}

/** The request that a provider package creates from a prompt, as far as the rules need it. */
export interface ProviderRequest {
  readonly format: "anthropic" | "gemini" | "openai-responses";
  readonly provider?: string;
  readonly body: Wire;
  /** The sources of messages and parts of the body, by path. */
  readonly places: ReadonlyMap<string, readonly Place[]>;
}

/** Drafts the request for a model; undefined for an unknown package. */
export function providerRequest(call: ModelCall, model: NamedModel): ProviderRequest | undefined {
  const { provider, modelId, specificationVersion: version } = model ?? {};
  const id = typeof modelId === "string" ? modelId : "";
  const name = typeof provider === "string" ? provider : "";
  const whose = name === "gateway" ? id.replace(/\/.*$/u, "") : name; // Vercel's gateway runs the same packages
  if (/\banthropic\b/u.test(whose)) return draftAnthropic(call, id, version);
  if (/^google(?:\.(?:generative-ai|vertex(?:\.chat)?))?$/u.test(whose)) return draftGemini(call, id);
  return whose.endsWith(".responses") ? draftResponses(call, id, whose) : undefined;
}

/** The parts of a message with their places. Text alone counts as one part, as in the packages. */
function partsOf(message: unknown, index: number): readonly (readonly [part: Wire, place: Place])[] {
  const content = isRecord(message) ? message["content"] : undefined;
  if (typeof content === "string") return [[{ type: "text", text: content }, { message: index }]];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown, at) =>
    isRecord(part) ? [[part, { message: index, part: at }] as const] : [],
  );
}

/** The options of a call or a part for one provider. */
export function optionsOf(whole: unknown, key: string): Wire {
  const providerOptions = isRecord(whole) ? whole["providerOptions"] : undefined;
  const own = isRecord(providerOptions) ? providerOptions[key] : undefined;
  return isRecord(own) ? own : {};
}

/** The text, or a placeholder for a file; the rules for calls ignore files. */
const textOf = ({ text }: Wire): string => (typeof text === "string" ? text : "file");

const asObject = (input: unknown): Wire => (isRecord(input) ? input : {});

type Writer = (part: Wire, isAssistant: boolean) => Wire | undefined;

interface Layout {
  readonly list: string;
  readonly content: string;
  readonly assistant: string;
  /** System messages that the package writes into a separate field. */
  readonly isApart: (message: ModelCall["prompt"][number], index: number) => boolean;
}

/** Drafts a message for each message of the prompt. */
function draftMessages(
  { prompt }: ModelCall,
  { list, content, assistant, isApart }: Layout,
  write: Writer,
): Pick<ProviderRequest, "body" | "places"> {
  const messages: Wire[] = [];
  const places = new Map<string, readonly Place[]>();
  prompt.forEach((message, index) => {
    if (message.role === "system" && isApart(message, index)) return;
    const path = `${list}[${messages.length}]`;
    const isAssistant = message.role === "assistant";
    const parts: Wire[] = [];
    places.set(path, [{ message: index }]);
    for (const [part, place] of partsOf(message, index)) {
      const written = write(part, isAssistant);
      if (written === undefined) continue;
      places.set(`${path}.${content}[${parts.length}]`, [place]);
      parts.push(written);
    }
    messages.push({ role: isAssistant ? assistant : message.role === "system" ? "system" : "user", [content]: parts });
  });
  return { body: { [list]: messages }, places };
}

function draftAnthropic(call: ModelCall, model: string, version: unknown): ProviderRequest | undefined {
  const options = optionsOf(call, "anthropic");
  const { thread, sendReasoning, contextManagement } = options;
  if (thread !== undefined) return undefined; // the server has the earlier messages
  const first = call.prompt.findIndex(({ role }) => role === "system");
  const next = call.prompt.findIndex(({ role }, index) => index > first && role !== "system");
  const layout: Layout = {
    list: "messages",
    content: "content",
    assistant: "assistant",
    // The first system messages, and those that change tools or settings, which are not plain text.
    isApart: (message, index) => index < next || next < 0 || Object.keys(optionsOf(message, "anthropic")).length > 0,
  };
  const { body, places } = draftMessages(call, layout, (part, isAssistant) => {
    if (part["type"] === "reasoning" && sendReasoning === false) return undefined;
    // Packages after version 6 parse an input that is text.
    return anthropicBlock(version === "v3" ? part : { ...part, input: asObject(part["input"]) }, isAssistant);
  });
  const { tools = [] } = call;
  return {
    format: "anthropic",
    places,
    body: {
      model,
      ...body,
      ...thinkingOf(call, options, model),
      ...(contextManagement === undefined ? {} : { context_management: contextManagement }),
      ...(tools.length > 0 ? { tools } : {}),
    },
  };
}

/** The thinking settings of the package. Later models have no budget and use adaptive thinking. */
function thinkingOf({ reasoning }: ModelCall, { thinking, effort }: Wire, model: string): Wire {
  const type = isRecord(thinking) ? thinking["type"] : undefined;
  const isLevel = typeof reasoning === "string" && reasoning !== "none" && reasoning !== "provider-default";
  const isBudget = thinking === undefined && effort === undefined && isLevel && takesBudgetOnly.test(model);
  if (isBudget || (type === "enabled" && !adaptsAlways.test(model))) return { thinking: { type: "enabled" } };
  return type === undefined || type === "enabled" ? {} : { thinking: { type } };
}

const adaptsAlways = /claude-(?:fable|mythos|[a-z]+-(?:5-[5-9]|[6-9]))/u;
const takesBudgetOnly = /claude-(?:3|(?:opus|sonnet|haiku)-4(?:-[0-5](?!\d)|-\d{8}|$))/u;

function anthropicBlock(part: Wire, isAssistant: boolean): Wire | undefined {
  const { type, toolCallId: id, toolName: name, input, output, providerExecuted } = part;
  switch (type) {
    case "reasoning": {
      const { signature, redactedData: data } = optionsOf(part, "anthropic");
      if (typeof signature === "string") return { type: "thinking", thinking: textOf(part), signature };
      return typeof data === "string" ? { type: "redacted_thinking", data } : undefined;
    }
    case "tool-call": {
      const isMcp = optionsOf(part, "anthropic")["type"] === "mcp-tool-use";
      const server = isMcp ? "mcp_tool_use" : "server_tool_use";
      return { type: providerExecuted === true ? server : "tool_use", id, name, input };
    }
    case "tool-result":
      if (!isAssistant) return { type: "tool_result", tool_use_id: id, content: [] };
      return { type: "web_search_tool_result", tool_use_id: id, content: isRecord(output) ? output["value"] : output };
    case "tool-approval-request":
    case "tool-approval-response":
      return undefined;
    default:
      return { type: "text", text: textOf(part) };
  }
}

function draftGemini(call: ModelCall, model: string): ProviderRequest {
  const first = call.prompt.findIndex(({ role }) => role !== "system");
  const isApart: Layout["isApart"] = (_, index) => index < first;
  const layout: Layout = { list: "contents", content: "parts", assistant: "model", isApart };
  const { body, places } = draftMessages(call, layout, geminiPart);
  return { format: "gemini", places, body: { model, ...body } };
}

function geminiPart(part: Wire, isAssistant: boolean): Wire | undefined {
  const { type, toolCallId: id, toolName: name, input, providerExecuted } = part;
  switch (type) {
    case "reasoning":
      return { text: textOf(part), thought: true };
    case "tool-call":
      return providerExecuted === true ? { text: "call" } : { functionCall: { id, name, args: input } };
    case "tool-result":
      return isAssistant ? { text: "result" } : { functionResponse: { id, name, response: { result: "" } } };
    case "tool-approval-request":
    case "tool-approval-response":
      return undefined;
    default:
      return { text: textOf(part) };
  }
}

/** All parts as separate items. Parts that the server stores as one item are one. */
function draftResponses(call: ModelCall, model: string, whose: string): ProviderRequest | undefined {
  const provider = /^(?:azure|xai)/u.exec(whose)?.[0] ?? "openai";
  const { store = true, previousResponseId, conversation } = optionsOf(call, provider);
  if (previousResponseId !== undefined || conversation !== undefined) return undefined; // the server has the rest
  const isStored = store !== false;
  const input: Wire[] = [];
  const places = new Map<string, Place[]>();
  call.prompt.forEach((message, index) => {
    const kept = new Map<unknown, { readonly places: Place[]; isWritten: boolean }>();
    for (const [part, place] of partsOf(message, index)) {
      const id = itemIdOf(part, message.role, provider);
      const item = (id === undefined ? undefined : kept.get(id)) ?? { places: [], isWritten: false };
      kept.set(id, item);
      item.places.push(place);
      const written = item.isWritten ? undefined : responsesItem(part, message.role, { provider, id, isStored });
      if (written === undefined) continue;
      item.isWritten = true;
      places.set(`input[${input.length}]`, item.places);
      input.push(written);
    }
  });
  return { format: "openai-responses", provider, places, body: { model, store, input } };
}

/** The id under which the server stores a part. Function calls are sent without it. */
function itemIdOf(part: Wire, role: string, provider: string): unknown {
  const { type, toolCallId, providerExecuted } = part;
  if (role !== "assistant" || (type === "tool-call" && providerExecuted !== true)) return undefined;
  const isTool = type === "tool-call" || type === "tool-result";
  return optionsOf(part, provider)["itemId"] ?? (isTool ? toolCallId : undefined);
}

interface ItemFacts {
  readonly provider: string;
  readonly id: unknown;
  readonly isStored: boolean;
}

function responsesItem(part: Wire, role: string, { provider, id, isStored }: ItemFacts): Wire | undefined {
  const { type, toolCallId: callId, toolName: name, providerExecuted } = part;
  if (isStored && id !== undefined) return { type: "item_reference", id };
  switch (type) {
    case "reasoning": {
      const { reasoningEncryptedContent: encrypted } = optionsOf(part, provider);
      if (encrypted === undefined || encrypted === null) return undefined; // the package does not send it either
      return { type: "reasoning", id, summary: [], encrypted_content: encrypted };
    }
    case "tool-call":
      return providerExecuted === true ? undefined : { type: "function_call", call_id: callId, name, arguments: "{}" };
    case "tool-result":
      if (role === "assistant") return { type: "web_search_call", id, status: "completed" };
      return { type: "function_call_output", call_id: callId, output: "" };
    case "tool-approval-request":
    case "tool-approval-response":
      return undefined;
    default:
      return { role, content: textOf(part) };
  }
}
