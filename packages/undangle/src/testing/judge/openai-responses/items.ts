import { isRecord, isText, lengthOf, listOf, recordOf, shown, type Loose } from "../loose.ts";
import { tooLong, wrongName, wrongText, wrongType, wrongValue } from "../openai-words.ts";
import type { Verdict } from "../verdict.ts";

/** The types in OpenAI's own error message, and one that was added later. */
const types: readonly string[] = (
  "additional_tools agent_message apply_patch_call apply_patch_call_output code_interpreter_call compaction " +
  "compaction_trigger computer_call computer_call_output custom_tool_call custom_tool_call_output file_search_call " +
  "function_call function_call_output image_generation_call item_reference local_shell_call local_shell_call_output " +
  "mcp_approval_request mcp_approval_response mcp_call mcp_list_tools message multi_agent_call " +
  "multi_agent_call_output program program_output reasoning shell_call shell_call_output tool_search_call " +
  "tool_search_output web_search_call compaction_summary context_compaction configuration_update"
).split(" ");

/** The types that its error message names. */
const named = types.slice(0, types.indexOf("web_search_call") + 1);

/** Types that certainly do not need a call. */
const unbound: ReadonlySet<unknown> = new Set([
  "message",
  "reasoning",
  "item_reference",
  "web_search_call",
  "mcp_call",
]);

const roles: readonly string[] = ["assistant", "system", "developer", "user"];

/** Judges one item. */
export function judgeItem(item: unknown, path: string, provider: string | undefined): Verdict[] {
  if (!isRecord(item)) return [{ id: "OAR-ITEM", path, text: wrongType(path, item, "an input item") }];
  const { type, role } = item;
  if (type === undefined && typeof role === "string") {
    const missing = provider === "azure" ? [{ id: "OAR-ITEM", path, text: wrongValue("", named) }] : [];
    return [...missing, ...judgeMessage(item, path), ...judgeKeys(item, "message", path, provider)];
  }
  if (!isText(type)) return [{ id: "OAR-ITEM", path, text: wrongText(`${path}.type`, type) }];
  if (!types.includes(type)) return [{ id: "OAR-ITEM", path, text: wrongValue(type, named) }];
  const own = judgeKeys(item, type, path, provider);
  switch (type) {
    case "message":
      return [...own, ...judgeMessage(item, path)];
    case "function_call":
    case "custom_tool_call":
      return [...own, ...judgeCall(item, path)];
    case "function_call_output":
    case "custom_tool_call_output":
      return [...own, ...judgeCallId(item, path), ...judgeOutput(item["output"], `${path}.output`)];
    case "reasoning":
      return [...own, ...judgeToken(item["encrypted_content"], `${path}.encrypted_content`, provider)];
    case "tool_search_call":
      return typeof item["arguments"] === "string"
        ? [...own, { id: "OAR-TOOLSEARCH-ARGS", path: `${path}.arguments`, text: textAsArguments(path) }]
        : own;
    default:
      return own;
  }
}

const textAsArguments = (path: string): string => wrongType(`${path}.arguments`, "", "an object");

/** The keys of chat and Ollama messages besides their content. */
const chatKeys =
  "name refusal annotations audio images parsed reasoning reasoning_content reasoning_details thinking".split(" ");

/** Keys that belong to items of another type. */
function judgeKeys(item: Loose, type: string, path: string, provider: string | undefined): Verdict[] {
  const isAssistant = type === "message" && item["role"] === "assistant";
  const isTool = item["role"] === "tool" || item["role"] === "function";
  const isChat = type === "message" && !isTool && [undefined, "openai", "azure"].includes(provider);
  const wrong = [
    ...(isChat ? chatKeys : []),
    type === "message" ? undefined : "role",
    unbound.has(type) && !isTool ? "call_id" : undefined,
    isAssistant ? undefined : "phase",
  ];
  return wrong
    .filter((key) => key !== undefined && item[key] !== undefined)
    .map((key) => ({ id: "OAR-UNKNOWN-PARAM", path: `${path}.${key}`, text: `Unknown parameter: '${path}.${key}'.` }));
}

function judgeMessage(item: Loose, path: string): Verdict[] {
  const { role, content } = item;
  const verdicts: Verdict[] = [];
  if (!isText(role)) verdicts.push({ id: "OAR-ROLE", path: `${path}.role`, text: wrongText(`${path}.role`, role) });
  else if (!roles.includes(role))
    verdicts.push({ id: "OAR-ROLE", path: `${path}.role`, text: wrongValue(role, roles) });
  for (const key of ["tool_calls", "function_call"]) {
    if (item[key] === undefined) continue;
    verdicts.push({ id: "OAR-CHAT-SHAPE", path: `${path}.${key}`, text: `Unknown parameter: '${path}.${key}'.` });
  }
  const at = `${path}.content`;
  const contentText = wrongType(at, content, "one of an array of objects or string");
  if (content === undefined || content === null) {
    verdicts.push({ id: "OAR-CONTENT-NULL", path: at, text: contentText });
  } else if (typeof content !== "string" && !Array.isArray(content)) {
    verdicts.push({ id: "OAR-CONTENT-TYPE", path: at, text: contentText });
  }
  const allowed = role === "assistant" ? said : given;
  listOf(content).forEach((part, index) => {
    const place = `${at}[${index}]`;
    const { type } = recordOf(part);
    if (isText(type) && allowed.includes(type) && !lacksText(part)) return;
    verdicts.push({ id: "OAR-CONTENT-TYPE", path: place, text: partText(part, place, allowed) });
  });
  return verdicts;
}

/** What is wrong with a part: its type, its form or its missing text. */
function partText(part: unknown, path: string, allowed: readonly string[]): string {
  if (!isRecord(part)) return wrongType(path, part, "an object");
  const { type } = part;
  if (!isText(type)) return wrongText(`${path}.type`, type);
  if (!allowed.includes(type)) return wrongValue(type, allowed);
  const key = type === "refusal" ? "refusal" : "text";
  return wrongType(`${path}.${key}`, part[key]);
}

const said: readonly string[] = ["output_text", "refusal"];
const given: readonly string[] = ["input_text", "input_image", "input_file", "scoped_content", "input_audio"];

/** True for a text part without text. */
function lacksText(part: unknown): boolean {
  const { type, text, refusal } = recordOf(part);
  if (type === "refusal") return typeof refusal !== "string";
  return (type === "input_text" || type === "output_text") && typeof text !== "string";
}

function judgeCall(item: Loose, path: string): Verdict[] {
  const { type, id, name } = item;
  const verdicts = judgeCallId(item, path);
  const prefix = type === "function_call" ? "fc" : "ctc";
  if (id !== undefined && id !== null && !(typeof id === "string" && id.startsWith(prefix))) {
    const text = `Invalid '${path}.id': '${shown(id)}'. Expected an ID that begins with '${prefix}'.`;
    verdicts.push({ id: "OAR-ITEM-ID-PREFIX", path: `${path}.id`, text });
  }
  if (!isText(name) || !/^[a-zA-Z0-9_-]+$/.test(name)) {
    verdicts.push({ id: "OAR-NAME", path: `${path}.name`, text: wrongName(`${path}.name`, name) });
  }
  const key = type === "function_call" ? "arguments" : "input";
  if (typeof item[key] !== "string") {
    verdicts.push({ id: "OAR-ARGS-TYPE", path: `${path}.${key}`, text: wrongType(`${path}.${key}`, item[key]) });
  }
  return verdicts;
}

function judgeCallId({ call_id: id }: Loose, itemPath: string): Verdict[] {
  const path = `${itemPath}.call_id`;
  if (id === "") return [{ id: "OAR-CALLID-EMPTY", path, text: wrongText(path, id) }];
  if (typeof id !== "string") return [{ id: "OAR-CALLID-MISSING", path, text: wrongText(path, id) }];
  return lengthOf(id) > 64 ? [{ id: "OAR-CALLID-LONG", path, text: tooLong(path, id, 64) }] : [];
}

function judgeOutput(output: unknown, path: string): Verdict[] {
  if (typeof output === "string") return [];
  const allowed = ["input_text", "input_image", "input_file"];
  if (!Array.isArray(output)) {
    return [{ id: "OAR-OUTPUT-TYPE", path, text: wrongType(path, output, "one of an array of objects or string") }];
  }
  const wrong = output.findIndex((part) => {
    const { type } = recordOf(part);
    return !isText(type) || !allowed.includes(type) || lacksText(part);
  });
  if (wrong === -1) return [];
  return [{ id: "OAR-OUTPUT-TYPE", path, text: partText(output[wrong], `${path}[${wrong}]`, allowed) }];
}

/** Real tokens contain no white space and start with gAAA. Recordings may have truncated them. */
function judgeToken(token: unknown, path: string, provider: string | undefined): Verdict[] {
  if (provider !== undefined && provider !== "openai" && provider !== "azure") return [];
  if (token === undefined || token === null || token === "") return [];
  if (typeof token === "string" && /^gAAA\S*$/.test(token)) return [];
  const text = `The encrypted content ${shown(token).slice(0, 4)}... could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
  return [{ id: "OAR-ENCRYPTED", path, text }];
}
