import { about, constant, list, object, oneOf, ref, text, whole } from "../json-schema.ts";
import type { Schema } from "../json-schema.ts";

const nothing = { type: "null" } as const;
const finish = oneOf("stop", "length", "tool_calls", "content_filter");
const head = { id: text, created: about("Seconds since 1970.", whole), model: text };

/** The endpoints of OpenAI. */
export const chatComponents: Readonly<Record<string, Schema>> = {
  Model: {
    description: "A persona or a model, in the format of OpenAI.",
    ...object({ id: text, object: constant("model"), created: whole, owned_by: text }),
  },
  ModelList: { description: "All models.", ...object({ object: constant("list"), data: list(ref("Model")) }) },
  ChatCompletion: {
    description: "A response in the format of OpenAI.",
    ...object({
      ...head,
      object: constant("chat.completion"),
      choices: list(
        object({
          index: whole,
          message: object(
            { role: constant("assistant"), content: { type: ["string", "null"] }, refusal: nothing },
            { reasoning_content: text, tool_calls: list(ref("ChatToolCall")) },
          ),
          logprobs: nothing,
          finish_reason: finish,
        }),
      ),
      usage: ref("ChatUsage"),
      undangle: ref("ChatNote"),
    }),
  },
  ChatCompletionChunk: {
    description: "A chunk of a streamed response. The last chunk with a choice has the field `undangle`.",
    ...object(
      {
        ...head,
        object: constant("chat.completion.chunk"),
        choices: list(
          object({
            index: whole,
            delta: object(
              {},
              {
                role: constant("assistant"),
                content: text,
                refusal: nothing,
                reasoning_content: text,
                tool_calls: list(
                  object(
                    { index: whole, function: object({ arguments: text }, { name: text }) },
                    { id: text, type: constant("function") },
                  ),
                ),
              },
            ),
            logprobs: nothing,
            finish_reason: { anyOf: [finish, nothing] },
          }),
        ),
      },
      { usage: { anyOf: [ref("ChatUsage"), nothing] }, undangle: ref("ChatNote") },
    ),
  },
  ChatEvent: {
    description: "The data of one event of a streamed response. An error ends the stream.",
    anyOf: [ref("ChatCompletionChunk"), ref("Error")],
  },
  ChatToolCall: {
    description: "A call of a tool that the client runs.",
    ...object({ id: text, type: constant("function"), function: object({ name: text, arguments: text }) }),
  },
  ChatUsage: {
    description: "Numbers of tokens, in the format of OpenAI.",
    ...object({
      prompt_tokens: whole,
      completion_tokens: whole,
      total_tokens: whole,
      prompt_tokens_details: object({ cached_tokens: whole }),
    }),
  },
  ChatNote: {
    description: "The thread of a chat response, and the calls of server tools that wait for a decision.",
    ...object(
      { thread_id: text, status: oneOf("done", "waiting", "stopped", "failed") },
      { pending: list(ref("PendingCall")), error: object({ code: text, message: text }) },
    ),
  },
};
