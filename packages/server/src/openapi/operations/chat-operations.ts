import { json } from "../operation.ts";
import type { Operation } from "../operation.ts";
import { ref } from "../json-schema.ts";

/** The endpoints of OpenAI. */
export const chatOperations: Readonly<Record<string, Operation>> = {
  "POST /v1/chat/completions": {
    id: "createChatCompletion",
    tag: "Chat",
    summary: "Creates a chat completion",
    description:
      "As OpenAI does. The server runs the tools of the persona; the client runs those that it sends. With `stream: true`, the response is a stream of `data` lines with chunks, which ends with `data: [DONE]`. An error after the first chunk is a line with an `Error`.",
    scope: "chat",
    headers: ["Idempotency-Key"],
    responses: {
      200: {
        description: "The response of the model, or the calls that the client runs.",
        content: { "application/json": ref("ChatCompletion"), "text/event-stream": ref("ChatEvent") },
        headers: ["x-undangle-thread", "x-undangle-edits", "x-undangle-rules", "idempotency-replayed"],
      },
    },
    errors: [404, 502, 504],
  },
  "GET /v1/models": {
    id: "listModels",
    tag: "Chat",
    summary: "Lists personas and models",
    scope: "chat",
    responses: { 200: json("The names that the field `model` of a chat request accepts.", "ModelList") },
  },
  "GET /v1/models/{id}": {
    id: "getModel",
    tag: "Chat",
    summary: "Reads one of the models",
    scope: "chat",
    responses: { 200: json("The model.", "Model") },
    errors: [404],
  },
};
