/** True for an event of OpenAI. Other or newer events contain nothing that is read here. */
export const isKnownEvent = (type: string): boolean => known.has(type) || newest.has(type) || ends.test(type);

/** The event types that OpenAI's SDK accepts, in the given version or in the newest known version. */
export function eventsTakenIn(version = "7"): ReadonlySet<unknown> {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 6) return new Set([...known, ...newest]);
  // OpenAI sent keep-alives before its SDK supported them: https://github.com/openai/openai-node/issues/1964
  return major === 6 && minor >= 49 ? known : new Set([...known].filter((type) => type !== "keepalive"));
}

/** The item type of a progress event; undefined for other events. */
export const progressOf = (type: unknown): string | undefined =>
  typeof type === "string" ? progress.exec(type)?.[1] : undefined;

const progress =
  /^response\.(mcp_list_tools|mcp_call|code_interpreter_call|file_search_call|web_search_call|image_generation_call|shell_call_output|compaction)[._]/u;

const ends = /^response\.(?:cancelled|done)$/u;

const of = (name: string, ...endings: readonly string[]): readonly string[] =>
  endings.map((ending) => `response.${name}.${ending}`);

/** The event types of SDK version 6. */
const known: ReadonlySet<string> = new Set([
  "error",
  "keepalive",
  ...["created", "queued", "in_progress", "completed", "failed", "incomplete"].map((state) => `response.${state}`),
  ...of("output_item", "added", "done"),
  ...of("content_part", "added", "done"),
  ...of("output_text", "delta", "done", "annotation.added"),
  ...of("refusal", "delta", "done"),
  ...of("reasoning_text", "delta", "done"),
  ...of("reasoning_summary_part", "added", "done"),
  ...of("reasoning_summary_text", "delta", "done"),
  ...of("function_call_arguments", "delta", "done"),
  ...of("custom_tool_call_input", "delta", "done"),
  ...of("mcp_call_arguments", "delta", "done"),
  ...of("mcp_call", "in_progress", "completed", "failed"),
  ...of("mcp_list_tools", "in_progress", "completed", "failed"),
  ...of("code_interpreter_call_code", "delta", "done"),
  ...of("code_interpreter_call", "in_progress", "interpreting", "completed"),
  ...of("file_search_call", "in_progress", "searching", "completed"),
  ...of("web_search_call", "in_progress", "searching", "completed"),
  ...of("image_generation_call", "in_progress", "generating", "completed", "partial_image"),
  ...of("audio", "delta", "done", "transcript.delta", "transcript.done"),
]);

/** The additional event types of version 7. */
const newest: ReadonlySet<string> = new Set([
  ...of("shell_call_command", "added", "delta", "done"),
  ...of("shell_call_output_content", "delta", "done"),
  ...of("compaction", "compacting"),
]);
