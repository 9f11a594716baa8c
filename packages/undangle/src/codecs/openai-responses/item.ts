/** An item of the input as it comes over the wire: an object, and nothing else is certain. */
export type Item = Readonly<Record<string, unknown>>;

/** Whose turn an item belongs to. */
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

/** Types that have no `call_id`: other calls and outputs have one, or may come to have one. */
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

/** Whose turn an item of this type belongs to; undefined for a type that the API does not know. */
export const sideOf = (type: string): Side | undefined => sides.get(type);

export const mayHaveCallId = (type: string): boolean => !withoutCallId.has(type);

/** Messages have a role, and so has a list of tools that a developer adds. */
export const mayHaveRole = (type: string): boolean => type === "message" || type === "additional_tools";

/** Types whose items are taken with their id only; the id of an item of any other type may be left out. */
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

/** The calls whose outputs contain any text. */
export const isCall = ({ type }: Item): boolean => type === "function_call" || type === "custom_tool_call";

/** Their output items. */
export const isOutput = ({ type }: Item): boolean =>
  type === "function_call_output" || type === "custom_tool_call_output";

/** A message has its type, or a role. */
export const isMessage = ({ type, role }: Item): boolean =>
  type === "message" || (type === undefined && typeof role === "string");

/** The id of an item, where it has one. */
export const idOf = ({ id }: Item): string | undefined => (typeof id === "string" && id !== "" ? id : undefined);

/** The item without some keys. */
export function withoutKeys(item: Item, keys: readonly string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([key]) => !keys.includes(key)));
}
