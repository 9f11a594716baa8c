import { flag, list, record, ref, runModes } from "../openapi/json-schema.ts";

/**
 * The schemas of the threads API. Where the OpenAPI document says more than a route checks, or has another type because
 * parameters of a URL are texts, `x-described` has the schema of the document.
 */
const text = { type: "string", minLength: 1 } as const;
const metadata = {
  ...record,
  description: "Data of the client about the thread. The value null removes a key.",
} as const;
const yesOrNo = { enum: ["true", "false"], "x-described": flag } as const;
const closed = { type: "object", additionalProperties: false } as const;

export const threadParams = { ...closed, properties: { id: text }, required: ["id"] } as const;

export const allowanceParams = {
  ...closed,
  properties: { id: text, allowance: text },
  required: ["id", "allowance"],
} as const;

export const turnParams = {
  ...closed,
  properties: {
    id: text,
    n: {
      type: "string",
      pattern: "^\\d{1,9}$",
      "x-allowed": "the number of an entry",
      "x-described": { type: "integer", minimum: 0 },
      description: "The number of a turn in its thread.",
    },
  },
  required: ["id", "n"],
} as const;
export const ownAllowanceParams = { ...closed, properties: { allowance: text }, required: ["allowance"] } as const;

export const fileParams = {
  ...closed,
  properties: {
    id: text,
    "*": { type: "string", description: "The path of the file, each segment percent-encoded once." },
  },
  required: ["id", "*"],
} as const;

export const filesQuery = {
  ...closed,
  properties: { prefix: { type: "string", maxLength: 4096, description: "Files whose paths start with this text." } },
} as const;

export const contentsQuery = {
  ...closed,
  properties: {
    contents: { enum: ["all", "pending"], description: "pending: without calls and messages. By default all." },
  },
} as const;

export const newThread = {
  ...closed,
  properties: {
    id: { ...text, maxLength: 200, description: "By default it is generated." },
    persona: { ...text, description: "By default the standard persona." },
    model: { ...text, description: "The name of a model of the config. By default the model of the persona." },
    title: { ...text, maxLength: 200 },
    metadata,
    files: {
      type: "object",
      additionalProperties: { type: "string" },
      description: "Files of the thread: text by path.",
    },
  },
} as const;

const limitOf = (usual: number) =>
  ({
    type: "string",
    pattern: "^(?:[1-9]\\d?|1\\d\\d|200)$",
    "x-allowed": "a whole number from 1 to 200",
    "x-described": { type: "integer", minimum: 1, maximum: 200 },
    description: `The maximum number of results, up to 200 (default: ${usual}).`,
  }) as const;
const cursor = { ...text, description: "The next_cursor of the previous page." } as const;

export const threadQuery = {
  ...closed,
  properties: {
    q: { type: "string", maxLength: 1000, description: "Text in the id, the title or the messages." },
    status: { enum: ["idle", "running", "waiting"] },
    deleted: { ...yesOrNo, description: "List deleted threads instead of the others." },
    limit: limitOf(50),
    cursor,
  },
} as const;

export const deleteQuery = {
  ...closed,
  properties: {
    purge: {
      ...yesOrNo,
      description: "`true` removes the thread permanently. By default it is marked as deleted and can be restored.",
    },
  },
} as const;

export const queueQuery = { ...closed, properties: { limit: limitOf(200), cursor } } as const;

export const threadChange = {
  ...closed,
  minProperties: 1,
  properties: {
    title: { ...text, maxLength: 200 },
    persona: text,
    model: {
      type: ["string", "null"],
      minLength: 1,
      description: "The name of a model of the config, or null for the model of the persona.",
    },
    metadata,
    deleted: { const: false, description: "Restores a deleted thread." },
  },
} as const;

export const newMessage = {
  ...closed,
  properties: {
    content: {
      description: "A string, or parts in OpenAI's format: text, image_url, input_audio, file.",
      anyOf: [text, { type: "array", minItems: 1, items: record, "x-described": list(ref("ContentPart")) }],
    },
    onInput: { enum: ["supersede", "queue", "refuse"], description: "How open calls are handled." },
    mode: {
      enum: runModes,
      description: "What the calls of the run may do. accept-edits needs the scope approve.",
    },
    files: {
      type: "object",
      additionalProperties: { type: ["string", "null"] },
      description: "Files of the thread, saved with the message: text by path, or null to delete a file.",
    },
  },
  required: ["content"],
} as const;

const decision = {
  type: "object",
  properties: { type: { enum: ["approve", "reject", "edit", "respond"] } },
  required: ["type"],
  "x-described": ref("GivenDecision"),
} as const;

export const newDecisions = {
  ...closed,
  properties: {
    decisions: {
      type: "object",
      minProperties: 1,
      maxProperties: 500,
      additionalProperties: decision,
      "x-allowed": "an object with 1 to 500 decisions by call id",
      description: "Decisions by call id, at most 500. Other calls stay pending.",
    },
    all: { enum: ["approve", "reject"], description: "One decision for all pending calls, instead of decisions." },
    reason: { type: "string", description: "The reason to reject all calls." },
  },
  oneOf: [{ required: ["decisions"] }, { required: ["all"] }],
} as const;

export const forkWish = {
  ...closed,
  properties: {
    at: { type: "integer", minimum: 0 },
    id: { ...text, maxLength: 200 },
    title: { ...text, maxLength: 200, description: "By default the title of the original thread." },
  },
} as const;

export const importWish = {
  ...closed,
  properties: {
    id: { ...text, maxLength: 200 },
    persona: text,
    history: {
      description: "A request body or a list of messages in any format, or an exported thread.",
      type: ["object", "array"],
      "x-described": { anyOf: [record, list(record), ref("PortableThread")] },
    },
    format: text,
  },
  required: ["history"],
} as const;

export const exportQuery = {
  ...closed,
  properties: { format: { ...text, description: "A format, or original. By default the thread itself." } },
} as const;

const path = {
  type: "string",
  maxLength: 1000,
  pattern: "^[^/]+(?:/[^/]+)*$",
  "x-allowed": "ids of calls, separated by /",
  description: "The ids of the calls that lead to a child thread, separated by /.",
} as const;

export const eventsQuery = {
  ...closed,
  properties: { after: { ...text, description: "The id of an event, like the header Last-Event-ID." }, path },
} as const;

export const exchangeQuery = { ...closed, properties: { path } } as const;

export const entriesQuery = {
  ...closed,
  properties: {
    before: {
      type: "string",
      pattern: "^\\d{1,15}$",
      "x-allowed": "the number of an entry",
      "x-described": { type: "integer", minimum: 0 },
      description: "Entries with smaller numbers: before of a later page. By default the newest.",
    },
    limit: {
      type: "string",
      pattern: "^(?:[1-9]\\d?|[1-4]\\d\\d|500)$",
      "x-allowed": "a whole number from 1 to 500",
      "x-described": { type: "integer", minimum: 1, maximum: 500 },
      description: "The maximum number of entries, up to 500 (default: 100).",
    },
    path,
  },
} as const;

export const runQuery = {
  ...closed,
  properties: { wait: { ...yesOrNo, description: "Waits for the end of the run." } },
} as const;
