/** The schema of a chat request, for the OpenAPI document. */
export const chatSchema = {
  type: "object",
  required: ["messages"],
  properties: {
    messages: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["role"],
        properties: {
          role: { enum: ["system", "developer", "user", "assistant", "tool"] },
          content: { anyOf: [{ type: "string" }, { type: "array", items: { type: "object" } }, { type: "null" }] },
          tool_calls: { type: "array", items: { type: "object" } },
          tool_call_id: { type: "string" },
        },
      },
    },
    model: { type: "string", description: "The id of a persona, or the name of a model of the config." },
    personality_id: { type: "string", description: "The persona. By default the standard persona." },
    use_tools: { type: "boolean", description: "False disables the tools of the persona." },
    thread_id: {
      type: "string",
      description:
        "Continues a thread: messages after the last assistant message are new. Without it, the server finds the thread by its messages.",
    },
    user: { type: "string", description: "The user of the request: threads of other users are not found." },
    tools: { type: "array", maxItems: 128, items: { type: "object" }, description: "Tools that the client runs." },
    tool_choice: { anyOf: [{ enum: ["auto", "none", "required"] }, { type: "object" }] },
    parallel_tool_calls: { type: "boolean" },
    response_format: { type: "object" },
    stream: { type: "boolean" },
    stream_options: { type: "object", properties: { include_usage: { type: "boolean" } } },
    max_completion_tokens: { type: "integer", minimum: 1 },
    max_tokens: { type: "integer", minimum: 1 },
    temperature: { type: "number", minimum: 0, maximum: 2 },
    top_p: { type: "number", minimum: 0, maximum: 1 },
    seed: { type: "integer" },
    stop: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    n: { const: 1 },
  },
} as const;
