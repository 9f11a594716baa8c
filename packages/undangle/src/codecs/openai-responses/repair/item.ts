import type { JsonObject } from "#core";

/** An input item of the wire: an object with unchecked fields. */
export type Item = JsonObject;

/** The role that an item belongs to. */
export type Side = "assistant" | "user" | "system";

/** The role of an item type: model, user, or none. */
const sides: ReadonlyMap<string, Side> = new Map<string, Side>(
  Object.entries({
    additional_tools: "system",
    agent_message: "assistant",
    apply_patch_call: "assistant",
    apply_patch_call_output: "system",
    code_interpreter_call: "assistant",
    compaction: "system",
    compaction_summary: "system",
    compaction_trigger: "system",
    computer_call: "assistant",
    computer_call_output: "system",
    configuration_update: "system",
    context_compaction: "system",
    custom_tool_call: "assistant",
    custom_tool_call_output: "system",
    file_search_call: "assistant",
    function_call: "assistant",
    function_call_output: "system",
    image_generation_call: "assistant",
    item_reference: "assistant",
    local_shell_call: "assistant",
    local_shell_call_output: "system",
    mcp_approval_request: "assistant",
    mcp_approval_response: "user",
    mcp_call: "assistant",
    mcp_list_tools: "assistant",
    message: "system",
    multi_agent_call: "assistant",
    multi_agent_call_output: "system",
    program: "assistant",
    program_output: "system",
    reasoning: "assistant",
    shell_call: "assistant",
    shell_call_output: "system",
    tool_search_call: "assistant",
    tool_search_output: "system",
    web_search_call: "assistant",
  }),
);

/** Types without `call_id`. Other calls and outputs have one, or may get one in later API versions. */
const withoutCallId = new Set([
  "message",
  "reasoning",
  "item_reference",
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_call",
  "mcp_list_tools",
  "mcp_approval_request",
  "mcp_approval_response",
  "compaction",
  "configuration_update",
]);

/** The role that items of this type belong to. Undefined for a type that the API does not know. */
export const sideOf = (type: string): Side | undefined => sides.get(type);

export const mayHaveCallId = (type: string): boolean => !withoutCallId.has(type);

/** Messages have a role, and so does a list of tools that a developer adds. */
export const mayHaveRole = (type: string): boolean => type === "message" || type === "additional_tools";

/** Types that require an id. For all others it is optional. */
const withId = new Set([
  "code_interpreter_call",
  "computer_call",
  "file_search_call",
  "image_generation_call",
  "item_reference",
  "local_shell_call_output",
  "mcp_approval_request",
  "mcp_call",
  "mcp_list_tools",
  "program",
  "program_output",
]);

export const mayOmitId = ({ type }: Item): boolean => typeof type !== "string" || !withId.has(type);

/** True for calls whose outputs are free text. */
export const isCall = ({ type }: Item): boolean => type === "function_call" || type === "custom_tool_call";

/** Their output items. */
export const isOutput = ({ type }: Item): boolean =>
  type === "function_call_output" || type === "custom_tool_call_output";

/** True for an item with the type or a role of a message. */
export const isMessage = ({ type, role }: Item): boolean =>
  type === "message" || (type === undefined && typeof role === "string");

export const idOf = ({ id }: Item): string | undefined => (typeof id === "string" && id !== "" ? id : undefined);

export function withoutKeys(item: Item, keys: readonly string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([key]) => !keys.includes(key)));
}
