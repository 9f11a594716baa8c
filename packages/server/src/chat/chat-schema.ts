import { flag, list, ref, text } from "../openapi/json-schema.ts";

/** The schema of a chat request, for the OpenAPI document. Other fields of OpenAI are accepted where they have no effect. */
export const chatSchema = {
  type: "object",
  required: ["messages"],
  additionalProperties: true,
  properties: {
    messages: { type: "array", minItems: 1, items: ref("ChatMessage") },
    model: { type: "string", description: "The id of a persona, or the name of a model of the config." },
    personality_id: { type: "string", description: "The persona. By default the standard persona." },
    use_tools: { type: "boolean", description: "False disables the tools of the persona." },
    thread_id: {
      type: "string",
      description:
        "Continues a thread: messages after the last assistant message are new. Without it, the server finds the thread by its messages.",
    },
    user: { type: "string", description: "The user of the request: threads of other users are not found." },
    tools: { type: "array", maxItems: 128, items: ref("ChatTool") },
    tool_choice: ref("ChatToolChoice"),
    parallel_tool_calls: flag,
    response_format: ref("ChatResponseFormat"),
    stream: flag,
    stream_options: { type: "object", properties: { include_usage: flag } },
    max_completion_tokens: { type: "integer", minimum: 1 },
    max_tokens: { type: "integer", minimum: 1 },
    temperature: { type: "number", minimum: 0, maximum: 2 },
    top_p: { type: "number", minimum: 0, maximum: 1 },
    seed: { type: "integer" },
    stop: { anyOf: [text, list(text)] },
    n: { const: 1 },
  },
} as const;
