import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { CompleteConversation, Setting, Tool, ToolChoice } from "./conversation.ts";
import type { Losses } from "./losses.ts";
import { listOf, recordOf, stringOf } from "./wire.ts";

/** The schema of a tool with free text input, for formats that only have objects. */
const rawSchema = { type: "object", properties: { _raw: { type: "string" } }, required: ["_raw"] } as const;

/** True for the schema of plain-text input. */
export const isRawSchema = (schema: unknown): boolean => JSON.stringify(schema) === JSON.stringify(rawSchema);

/** A schema that accepts any object, for a tool without one. */
export const openSchema = { type: "object", properties: {} } as const;

/** The schema of a tool, for formats that only have objects. Losses are reported. */
export function schemaFor(tool: Tool, losses: Losses): unknown {
  strictLoss(tool, losses);
  if (!tool.isCustom) return tool.schema ?? openSchema;
  losses.add(tool.path, "a tool with plain text as input", "its input becomes an object with the text under _raw");
  return rawSchema;
}

function strictLoss(tool: Tool, losses: Losses): void {
  if (tool.isStrict) losses.add(`${tool.home ?? tool.path}.strict`, "the strict flag of a tool");
}

/** A tool of the chat format: `{type: "function", function: {…}}`. */
export function readChatTool(wire: unknown, path: string, losses: Losses): readonly Tool[] {
  const tool = recordOf(wire);
  const custom = tool["custom"];
  const inner = tool["type"] === "custom" ? custom : tool["function"];
  if (!isRecord(inner) || typeof inner["name"] !== "string") {
    serverTool(wire, path, losses);
    return [];
  }
  losses.others(tool, ["type", "function", "custom"], path);
  const isCustom = tool["type"] === "custom";
  const home = path.startsWith("functions") ? path : `${path}.${isCustom ? "custom" : "function"}`; // the legacy list has no wrapper
  losses.others(inner, ["name", "description", "parameters", "strict"], home);
  return [
    {
      path,
      home,
      name: inner["name"],
      description: stringOf(inner["description"]),
      schema: inner["parameters"],
      isCustom,
      isStrict: inner["strict"] === true,
    },
  ];
}

export function writeChatTool(tool: Tool): JsonObject {
  const head = { name: tool.name, ...(tool.description === undefined ? {} : { description: tool.description }) };
  if (tool.isCustom) return { type: "custom", custom: head };
  const strict = tool.isStrict ? { strict: true } : {};
  return { type: "function", function: { ...head, parameters: tool.schema ?? openSchema, ...strict } };
}

/** Reports a tool that a provider runs itself, because no other provider has it. */
export function serverTool(wire: unknown, path: string, losses: Losses): void {
  const { type, name } = recordOf(wire);
  const called = stringOf(name) ?? stringOf(type) ?? Object.keys(recordOf(wire))[0] ?? "";
  losses.add(path, `the provider tool ${called}`, `${losses.to} cannot run it`);
}

/** `auto`, `none`, `required`, or a tool by name, as in chat, Responses, Ollama and LangChain. */
export function readChatChoice(wire: unknown, path: string, losses: Losses): ToolChoice | undefined {
  if (wire === undefined || wire === null) return undefined;
  if (wire === "auto" || wire === "none" || wire === "required") return { path, type: wire };
  if (wire === "any") return { path, type: "required" };
  const choice = recordOf(wire);
  const name = stringOf(recordOf(choice["function"] ?? choice["custom"])["name"]) ?? stringOf(choice["name"]);
  if (name !== undefined) return { path, type: "tool", name };
  if (choice["type"] === "allowed_tools") return readAllowed(recordOf(choice["allowed_tools"] ?? choice), path);
  losses.add(path, "a choice of tools");
  return undefined;
}

/** The allowed tools, as chat and Responses list them. */
function readAllowed({ mode, tools }: JsonObject, path: string): ToolChoice {
  const among = listOf(tools).flatMap((wire) => {
    const tool = recordOf(wire);
    return stringOf(recordOf(tool["function"] ?? tool["custom"] ?? tool)["name"]) ?? [];
  });
  const type = mode === "required" ? "required" : "auto";
  return among.length === 0 ? { path, type } : { path, type, among };
}

/** For formats that cannot allow a subset of the tools: allows all of them, and reports the loss. */
export function narrowChoice(conversation: CompleteConversation, losses: Losses): CompleteConversation {
  const { setting } = conversation;
  const choice = setting?.toolChoice;
  if (setting === undefined || choice?.among === undefined) return conversation;
  const { among, ...all } = choice;
  const [only, ...others] = among;
  if (only !== undefined && others.length === 0 && choice.type === "required") {
    return { ...conversation, setting: { ...setting, toolChoice: { ...all, type: "tool", name: only } } };
  }
  const isHeld = losses.to.startsWith("openai-") || (losses.to === "gemini" && choice.type === "required");
  if (isHeld) return conversation;
  losses.add(choice.path, "a choice among some of the tools", `${losses.to} allows all tools or one`);
  return { ...conversation, setting: { ...setting, toolChoice: all } };
}

/** For formats that cannot limit the number of parallel calls. */
export function parallelLoss({ isParallel }: Setting, losses: Losses): void {
  if (isParallel?.value === false) losses.add(isParallel.path, "the limit of one call at a time");
}

/** Reports streaming as a loss if the target requests it by URL or method. */
export function streamLoss({ isStreamed }: Setting, losses: Losses): void {
  if (isStreamed === true)
    losses.add("stream", "the streaming setting", `the request body of ${losses.to} does not contain it`);
}
