import { about, anything, constant, flag, list, object, oneOf, record, ref, text } from "../json-schema.ts";
import type { Fields, Schema } from "../json-schema.ts";

const digest: Fields = {
  digest: about("That of the call as it was shown. The decision is refused if the call has another one.", text),
};
const always: Fields = {
  always: {
    description: "Creates an allowance for later calls. `true` covers all calls of the tool in the thread.",
    anyOf: [flag, object({}, { scope: oneOf("thread", "agent"), match: oneOf("tool", "arguments") })],
  },
};
const anyOther = { additionalProperties: true } as const;

/** Parts of what clients send. Routes check them by hand, for messages that name the cause. */
export const requestComponents: Readonly<Record<string, Schema>> = {
  GivenDecision: {
    description: "A decision about a pending call.",
    oneOf: ["ApproveCall", "EditCall", "RespondCall", "RejectCall"].map(ref),
  },
  ApproveCall: {
    description: "The tool runs with the arguments of the call.",
    ...object({ type: constant("approve") }, { ...always, ...digest }),
  },
  EditCall: {
    description: "The tool runs with other arguments, or another tool runs.",
    ...object(
      { type: constant("edit"), arguments: record },
      { name: about("The name of another tool.", text), ...always, ...digest },
    ),
  },
  RespondCall: {
    description: "The tool does not run. The model gets this result.",
    ...object({ type: constant("respond"), result: about("A text, or any other JSON value.", anything) }, digest),
  },
  RejectCall: {
    description: "The tool does not run. The model gets the reason.",
    ...object({ type: constant("reject") }, { reason: text, ...digest }),
  },
  ContentPart: {
    description: "A part of a message, in the format of OpenAI.",
    oneOf: [
      object({ type: constant("text"), text }),
      object({
        type: constant("image_url"),
        image_url: object({ url: about("An https: or data: URL.", text) }, { detail: text }),
      }),
      object({ type: constant("input_audio"), input_audio: object({ data: about("Base64.", text), format: text }) }),
      object({ type: constant("file"), file: object({ file_data: about("A data: URL.", text) }, { filename: text }) }),
      object({ type: constant("refusal"), refusal: text }),
    ],
  },
  ChatMessage: {
    description: "A message, in the format of OpenAI. The server repairs what a provider would refuse.",
    ...object(
      { role: oneOf("system", "developer", "user", "assistant", "tool") },
      {
        content: { anyOf: [text, list(ref("ContentPart")), { type: "null" }] },
        tool_calls: list(ref("ChatToolCall")),
        tool_call_id: about("The call whose result this message is.", text),
      },
    ),
    ...anyOther,
  },
  ChatTool: {
    description: "A tool that the client runs.",
    ...object({
      type: constant("function"),
      function: {
        ...object(
          { name: { type: "string", pattern: "^[A-Za-z0-9_-]{1,64}$" } },
          { description: text, parameters: about("The JSON Schema of the arguments.", record) },
        ),
        ...anyOther,
      },
    }),
  },
  ChatToolChoice: {
    description: "Which tool the model calls.",
    anyOf: [
      oneOf("auto", "none", "required"),
      object({ type: constant("function"), function: object({ name: text }) }),
    ],
  },
  ChatResponseFormat: {
    description: "The form of the response.",
    oneOf: [
      object({ type: constant("text") }),
      object({ type: constant("json_object") }),
      object({ type: constant("json_schema"), json_schema: { ...object({ schema: record }), ...anyOther } }),
    ],
  },
};
