import {
  about,
  anything,
  constant,
  date,
  list,
  nullable,
  object,
  oneOf,
  record,
  ref,
  text,
  whole,
} from "../json-schema.ts";
import type { Fields, Schema } from "../json-schema.ts";

const thread: Fields = {
  id: text,
  object: constant("thread"),
  status: oneOf("idle", "running", "waiting"),
  title: nullable(text),
  persona: about("The id of the persona.", text),
  model: about("The chosen model of the config; null for the model of the persona.", nullable(text)),
  metadata: about("Data of the client about the thread.", record),
  entries: about("The number of entries.", whole),
  last_event: about("The id of the last event.", text),
  created_at: date,
  updated_at: date,
  deleted_at: nullable(date),
};

const pending = about("The calls that wait for a decision.", list(ref("PendingCall")));
const cursor = about("The cursor of the next page; null on the last page.", nullable(text));
const shortError = object({ code: text, message: text });

/** Threads, runs, personas and files. */
export const threadComponents: Readonly<Record<string, Schema>> = {
  Thread: { description: "A thread without its content.", ...object(thread) },
  ThreadContents: {
    description: "A thread with its content. With `contents=pending` it has only the pending calls.",
    ...object(
      { ...thread, pending },
      { calls: list(ref("Call")), messages: about("The history in the format of OpenAI.", list(record)) },
    ),
  },
  ThreadPage: { description: "A page of threads.", ...object({ data: list(ref("Thread")), next_cursor: cursor }) },
  ImportedThread: {
    description: "A thread that was created from a history.",
    ...object({ ...thread, edits: about("The repairs of the history in the thread.", list(ref("Edit"))) }),
  },
  QueuedThread: {
    description: "A thread with pending calls, which may run meanwhile.",
    ...object(
      { ...thread, pending },
      { error: about("Why its pending calls cannot be read.", ref("ErrorDetails")), undangle: ref("ErrorNote") },
    ),
  },
  QueuePage: {
    description: "A page of threads with pending calls.",
    ...object({ data: list(ref("QueuedThread")), next_cursor: cursor }),
  },
  RunStart: {
    description: "A run that has started.",
    ...object({
      thread_id: text,
      run_id: text,
      status: oneOf("running", "done", "waiting", "stopped"),
      events: about("The path of the events of the thread.", text),
    }),
  },
  RunEnd: {
    description: "How a run ended.",
    ...object(
      {
        thread_id: text,
        run_id: text,
        status: about(
          "`waiting`: calls need a decision. `stopped`: a person or a limit ended it.",
          oneOf("done", "waiting", "stopped", "failed"),
        ),
        text: about("The last text of the model.", text),
        pending,
        usage: about("The tokens of this run.", ref("Usage")),
        thread_usage: about("The tokens of the whole thread, including this run.", ref("Usage")),
      },
      {
        output: about("The structured output, if the persona has one.", anything),
        cause: about("Another message or request replaced the run.", constant("superseded")),
        error: shortError,
      },
    ),
  },
  Usage: {
    description: "Numbers of tokens.",
    ...object({ inputTokens: whole, outputTokens: whole, totalTokens: whole, cachedTokens: whole }),
  },
  Persona: {
    description: "A persona of the server.",
    ...object(
      {
        id: text,
        name: text,
        model: about("The name of its model.", text),
        isDemo: about("True if it uses the demo model, because no other is configured.", { type: "boolean" }),
        tools: list(text),
        onInput: about("How it handles a message while calls are open.", oneOf("supersede", "queue", "refuse")),
      },
      { language: oneOf("en", "zh") },
    ),
  },
  PersonaList: {
    description: "The personas of the server, and the models that a thread can use instead of theirs.",
    ...object({ data: list(ref("Persona")), models: about("The names of the models of the config.", list(text)) }),
  },
  File: {
    description: "A file of a thread, without its content.",
    ...object({ path: text, size: about("In bytes.", whole), createdAt: date, modifiedAt: date }),
  },
  PortableThread: {
    description: "A whole thread, which `POST /threads/import` accepts.",
    ...object(
      {
        undangle: constant(1),
        id: text,
        entries: list(object({ entry: record, calls: list(record) })),
        state: record,
        queue: list(record),
      },
      { meta: record, files: list(object({ path: text }, { text, base64: text })) },
    ),
  },
};
