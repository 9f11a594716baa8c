import {
  about,
  anything,
  clock,
  constant,
  list,
  object,
  oneOf,
  record,
  ref,
  runModes,
  text,
  whole,
} from "../json-schema.ts";
import type { Fields, Schema } from "../json-schema.ts";
import { pendingCall, settledStates } from "./call-components.ts";

type Row = readonly [about: string, required: Fields, optional?: Fields];

const end: Row[1] = {
  id: text,
  name: text,
  success: { type: "boolean" },
  status: oneOf(...settledStates),
};
const mode = oneOf(...runModes);
const purpose = about("The middleware that made the request.", text);
const shortError = object({ code: text, message: text });

/** The data of each event of a thread, by its type. */
const rows: Readonly<Record<string, Row>> = {
  run_start: [
    "A run starts.",
    { runId: text, reason: oneOf("message", "decision", "recovery", "regenerate"), mode },
    { requestId: about("The header `x-request-id` of the request that started it.", text) },
  ],
  model_start: ["A request to the model starts.", { step: whole, model: text }, { purpose, at: clock }],
  text_delta: ["Text of the model.", { text }],
  reasoning_delta: ["Reasoning of the model.", { text }],
  tool_call_start: ["The model starts to write a call.", { id: text, name: text }],
  tool_call_delta: ["A part of the arguments.", { id: text, text }],
  tool_call_ready: [
    "A call is complete.",
    { id: text, name: text, arguments: anything },
    { allowance: ref("CallAllowance") },
  ],
  tool_call_running: [
    "A call starts, or reports progress.",
    { id: text, name: text, attempt: whole },
    {
      progress: anything,
      startedAt: about("When its tool was first started, in milliseconds since 1970.", whole),
      decision: ref("Decision"),
      arguments: anything,
      proposed: ref("ProposedCall"),
      allowance: ref("CallAllowance"),
    },
  ],
  tool_call_end: [
    "A call has ended.",
    end,
    {
      result: about("The result for the model: a text, or its parts.", anything),
      error: text,
      userRejected: constant(true),
      endedAt: about("In milliseconds since 1970. Absent if a crash interrupted the call.", whole),
      decision: ref("Decision"),
      proposed: ref("ProposedCall"),
    },
  ],
  repair: [
    "A response or a request was repaired.",
    { rule: text, message: text },
    {
      at: clock,
      edit: about("The edit of a request.", ref("Edit")),
      id: about("The call of a response that it concerns.", text),
    },
  ],
  warning: ["Something that a person should know.", { message: text }, { id: text, code: text, at: clock }],
  model_discarded: ["The response so far is void.", { reason: text }, { at: clock }],
  model_end: [
    "The model has responded.",
    { finish: text },
    {
      entry: about("The number of the turn in its thread.", whole),
      purpose,
      at: clock,
      usage: about("The usage in the form of the provider.", record),
      tokens: ref("Usage"),
      model: about("The model that responded, if it differs from the requested one.", text),
    },
  ],
  run_end: [
    "A run has ended.",
    {
      runId: text,
      status: oneOf("done", "waiting", "stopped", "failed"),
      usage: ref("Usage"),
      threadUsage: ref("Usage"),
    },
    {
      error: shortError,
      cause: constant("superseded"),
      restored: about("The entry from which retracted content is restored.", whole),
    },
  ],
};

const threadPath: Fields = { thread_path: about("The calls that lead to the child thread of the event.", list(text)) };

/** An event as a client reads it: its fields `id`, `event` and `data`, which is JSON. */
const eventOf = (type: string, data: Schema): Schema => object({ id: text, event: constant(type), data });

const typeName = (type: string): string =>
  `${type.replaceAll(/(?:^|_)(\w)/gu, (_match, letter: string) => letter.toUpperCase())}Event`;

const dataOf = ([description, required, optional = {}]: Row): Schema => ({
  description,
  ...object(required, { ...optional, ...threadPath }),
});

/** The events of threads and of the queue. */
export const eventComponents: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(Object.entries(rows).map(([type, row]) => [typeName(type), dataOf(row)])),
  ThreadEvent: {
    description:
      "One server-sent event. `id` is a position for Last-Event-ID, `event` the type, and `data` JSON. The stream has many.",
    oneOf: [
      ...Object.keys(rows).map((type) => eventOf(type, ref(typeName(type)))),
      eventOf("approval_required", ref("ApprovalRequiredEvent")),
    ],
  },
  QueueEvent: {
    description: "One server-sent event of the queue: its type `event`, and `data`, which is JSON.",
    oneOf: [
      object({
        event: constant("snapshot"),
        data: about("All threads with pending calls.", list(ref("QueuedThread"))),
      }),
      object({ event: constant("thread"), data: about("A thread that changed.", ref("QueuedThread")) }),
    ],
  },
  ApprovalRequiredEvent: { description: "A call waits for a decision.", ...pendingCall(threadPath) },
};
