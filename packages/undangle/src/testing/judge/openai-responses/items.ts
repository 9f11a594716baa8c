import { isRecord, isText, lengthOf, listOf, recordOf, shown, type Loose } from "../loose.ts";
import type { Verdict } from "../verdict.ts";

/** The types that OpenAI's own error message lists, and the last one, which came later. */
const types: ReadonlySet<unknown> = new Set(
  (
    "additional_tools agent_message apply_patch_call apply_patch_call_output code_interpreter_call compaction " +
    "compaction_trigger computer_call computer_call_output custom_tool_call custom_tool_call_output file_search_call " +
    "function_call function_call_output image_generation_call item_reference local_shell_call local_shell_call_output " +
    "mcp_approval_request mcp_approval_response mcp_call mcp_list_tools message multi_agent_call " +
    "multi_agent_call_output program program_output reasoning shell_call shell_call_output tool_search_call " +
    "tool_search_output web_search_call compaction_summary context_compaction configuration_update"
  ).split(" "),
);

/** Types of which it is certain that no call binds them. */
const unbound: ReadonlySet<unknown> = new Set([
  "message",
  "reasoning",
  "item_reference",
  "web_search_call",
  "mcp_call",
]);

const roles: ReadonlySet<unknown> = new Set(["user", "assistant", "system", "developer"]);

/** The rules about one item. */
export function judgeItem(item: unknown, path: string, provider: string | undefined): Verdict[] {
  if (!isRecord(item)) return [{ id: "OAR-ITEM", path, text: "expected an input item." }];
  const { type, role } = item;
  if (type === undefined && typeof role === "string") {
    const missing = provider === "azure" ? [{ id: "OAR-ITEM", path, text: "Invalid value: ''." }] : [];
    return [...missing, ...judgeMessage(item, path), ...judgeKeys(item, "message", path, provider)];
  }
  if (!types.has(type)) return [{ id: "OAR-ITEM", path, text: `Invalid value: '${shown(type)}'.` }];
  const own = judgeKeys(item, String(type), path, provider);
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
        ? [...own, { id: "OAR-TOOLSEARCH-ARGS", path: `${path}.arguments`, text: "expected an object." }]
        : own;
    default:
      return own;
  }
}

/** What messages of the chat format and of Ollama have beside their content. */
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
  if (!roles.has(role))
    verdicts.push({ id: "OAR-ROLE", path: `${path}.role`, text: `Invalid value: '${shown(role)}'.` });
  for (const key of ["tool_calls", "function_call"]) {
    if (item[key] === undefined) continue;
    verdicts.push({ id: "OAR-CHAT-SHAPE", path: `${path}.${key}`, text: `Unknown parameter: ${key}` });
  }
  if (content === undefined || content === null) {
    verdicts.push({ id: "OAR-CONTENT-NULL", path: `${path}.content`, text: "Missing required parameter: content" });
  } else if (typeof content !== "string" && !Array.isArray(content)) {
    verdicts.push({ id: "OAR-CONTENT-TYPE", path: `${path}.content`, text: "expected an array of objects or string" });
  }
  const allowed = role === "assistant" ? said : given;
  listOf(content).forEach((part, index) => {
    const type = isRecord(part) ? part["type"] : undefined;
    if (allowed.has(type) && !lacksText(part)) return;
    const text = allowed.has(type) ? "Missing required parameter: text" : `Invalid value: '${shown(type)}'.`;
    verdicts.push({ id: "OAR-CONTENT-TYPE", path: `${path}.content[${index}]`, text });
  });
  return verdicts;
}

const said: ReadonlySet<unknown> = new Set(["output_text", "refusal"]);
const given: ReadonlySet<unknown> = new Set([
  "input_text",
  "input_image",
  "input_file",
  "scoped_content",
  "input_audio",
]);

/** Whether a part that is a text has none. */
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
    verdicts.push({
      id: "OAR-ITEM-ID-PREFIX",
      path: `${path}.id`,
      text: `Expected an ID that begins with '${prefix}'.`,
    });
  }
  if (!isText(name) || !/^[a-zA-Z0-9_-]+$/.test(name)) {
    verdicts.push({ id: "OAR-NAME", path: `${path}.name`, text: "string does not match pattern." });
  }
  const key = type === "function_call" ? "arguments" : "input";
  if (typeof item[key] !== "string") {
    verdicts.push({ id: "OAR-ARGS-TYPE", path: `${path}.${key}`, text: "expected a string." });
  }
  return verdicts;
}

function judgeCallId({ call_id: id }: Loose, itemPath: string): Verdict[] {
  const path = `${itemPath}.call_id`;
  if (id === "") return [{ id: "OAR-CALLID-EMPTY", path, text: "Expected a string with minimum length 1" }];
  if (typeof id !== "string") return [{ id: "OAR-CALLID-MISSING", path, text: "Missing required parameter: call_id" }];
  return lengthOf(id) > 64 ? [{ id: "OAR-CALLID-LONG", path, text: "Expected a maximum length of 64" }] : [];
}

function judgeOutput(output: unknown, path: string): Verdict[] {
  if (typeof output === "string") return [];
  const parts: ReadonlySet<unknown> = new Set(["input_text", "input_image", "input_file"]);
  const isFine =
    Array.isArray(output) && output.every((part) => isRecord(part) && parts.has(part["type"]) && !lacksText(part));
  return isFine ? [] : [{ id: "OAR-OUTPUT-TYPE", path, text: "Invalid type for output" }];
}

/** Real tokens are without blanks and begin with gAAA; recordings may have cut them short. */
function judgeToken(token: unknown, path: string, provider: string | undefined): Verdict[] {
  if (provider !== undefined && provider !== "openai" && provider !== "azure") return [];
  if (token === undefined || token === null || token === "") return [];
  if (typeof token === "string" && /^gAAA\S*$/.test(token)) return [];
  return [{ id: "OAR-ENCRYPTED", path, text: "The encrypted content could not be verified." }];
}
