/** The shapes of what the threads API takes; the description of the API is made of them. */
const text = { type: "string", minLength: 1 } as const;
const metadata = {
  type: "object",
  description: "What the caller wants to know of the thread; null takes a name away.",
} as const;
const closed = { type: "object", additionalProperties: false } as const;

export const threadParams = { ...closed, properties: { id: text }, required: ["id"] } as const;

export const allowanceParams = {
  ...closed,
  properties: { id: text, allowance: text },
  required: ["id", "allowance"],
} as const;

export const newThread = {
  ...closed,
  properties: {
    id: { ...text, maxLength: 200, description: "Left out, one is made." },
    persona: { ...text, description: "Left out, the standard one." },
    title: { ...text, maxLength: 200 },
    metadata,
  },
} as const;

const limitOf = (usual: number) =>
  ({
    type: "string",
    pattern: "^(?:[1-9]\\d?|1\\d\\d|200)$",
    "x-allowed": "a whole number from 1 to 200",
    description: `At most so many, up to 200; ${usual} when left out.`,
  }) as const;
const cursor = { ...text, description: "The next_cursor of the page before." } as const;

export const threadQuery = {
  ...closed,
  properties: {
    q: { type: "string", maxLength: 1000, description: "A part of the id, the title or the text." },
    status: { enum: ["idle", "running", "waiting"] },
    deleted: { enum: ["true", "false"], description: "Those that are deleted, in place of those that are not." },
    limit: limitOf(50),
    cursor,
  },
} as const;

export const deleteQuery = {
  ...closed,
  properties: {
    purge: {
      enum: ["true", "false"],
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
    metadata,
    deleted: { const: false, description: "Takes a deletion back." },
  },
} as const;

export const newMessage = {
  ...closed,
  properties: {
    content: {
      description: "A text, or parts in the form of OpenAI: text, image_url, input_audio, file.",
      anyOf: [text, { type: "array", minItems: 1, items: { type: "object" } }],
    },
    onInput: { enum: ["supersede", "queue", "refuse"], description: "What becomes of calls that are open." },
  },
  required: ["content"],
} as const;

const decision = {
  type: "object",
  properties: { type: { enum: ["approve", "reject", "edit", "respond"] } },
  required: ["type"],
} as const;

export const newDecisions = {
  ...closed,
  properties: {
    decisions: {
      type: "object",
      minProperties: 1,
      additionalProperties: decision,
      description: "By the ids of calls; the rest waits.",
    },
    all: { enum: ["approve", "reject"], description: "Everything that waits, in place of decisions." },
    reason: { type: "string", description: "Why all are rejected." },
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
      description: "A body or a list of messages in any format, or what an export gave.",
      type: ["object", "array"],
    },
    format: text,
  },
  required: ["history"],
} as const;

export const exportQuery = {
  ...closed,
  properties: { format: { ...text, description: "A format, original, or left out: the thread itself." } },
} as const;

export const eventsQuery = {
  ...closed,
  properties: { after: { ...text, description: "The id of an event; as the header Last-Event-ID." } },
} as const;

export const runQuery = {
  ...closed,
  properties: { wait: { enum: ["true", "false"], description: "Responds when the run has ended." } },
} as const;
