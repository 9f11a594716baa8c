import { about, date, flag, list, nullable, object, oneOf, ref, text } from "../json-schema.ts";
import type { Schema } from "../json-schema.ts";

const scopes = list(oneOf("chat", "threads", "approve", "admin"));

const key = {
  id: text,
  name: text,
  scopes,
  project: text,
  created_at: date,
  expires_at: nullable(date),
  revoked_at: nullable(date),
};

/** Callers, and errors. */
export const accessComponents: Readonly<Record<string, Schema>> = {
  Session: {
    description: "The caller, as the server knows it.",
    ...object({
      project: text,
      scopes,
      by: about("The name that is recorded with decisions.", text),
      name: about("The name of the key; null without keys.", nullable(text)),
      needs_key: about("False on a server without keys.", flag),
      csrf_token: about(
        "The header `x-undangle-csrf` of every change, if the session comes from a cookie.",
        nullable(text),
      ),
    }),
  },
  Key: { description: "A key of the project, without its text.", ...object(key) },
  NewKey: {
    description: "A new key.",
    ...object({ ...key, text: about("The key itself. It is not stored and is shown only here.", text) }),
  },
  Error: {
    description: "An error, in the format of OpenAI.",
    ...object({ error: ref("ErrorDetails") }, { undangle: ref("ErrorNote") }),
  },
  ErrorDetails: {
    description: "What is wrong, where, and what to do.",
    ...object({ message: text, type: text, param: nullable(text), code: text }),
  },
  ErrorNote: {
    description: "The thread that an error concerns.",
    ...object(
      { thread_id: text },
      { calls: about("The calls whose decisions were refused, as they are now.", list(ref("RefusedCall"))) },
    ),
  },
  Health: { description: "The state of the server.", ...object({ status: text }) },
};
