import { about, anything, clock, flag, list, object, oneOf, record, ref, text, whole } from "../json-schema.ts";
import type { Fields, Schema } from "../json-schema.ts";

/** The states of a call that has ended. */
export const settledStates: readonly string[] = [
  "rejected",
  "responded",
  "superseded",
  "expired",
  "succeeded",
  "failed",
  "timed-out",
  "stopped",
  "lost",
];

const decisionTypes = oneOf("approve", "reject", "edit", "respond");
const scope = oneOf("thread", "agent");
const match = oneOf("tool", "arguments");

/** Arguments, and what is known of numbers that JavaScript cannot represent. */
const inexact: Fields = {
  raw: about("The text of the arguments, if it contains inexact numbers.", text),
  inexact: list(
    object({
      path: about("The path in the arguments.", text),
      written: about("The number in the text.", text),
      runs: about("The number that the tool gets.", text),
    }),
  ),
};

/** A pending call, with the fields that the place of the call adds. */
export const pendingCall = (more: Fields = {}): Schema =>
  object(
    {
      id: about("For a call of a child thread: the ids of the calls that lead to it, joined by `/`.", text),
      name: about("The name of the tool.", text),
      arguments: about("The arguments that the tool gets.", anything),
      digest: about("Binds a decision to this call. A decision with another digest is refused.", text),
      decisions: about("The decisions that the rule permits.", list(decisionTypes)),
      always: about("The scopes of allowances that a decision may create.", list(scope)),
    },
    {
      path: about("Where a call of a child thread is, for people.", text),
      deadline: about("When it expires, in milliseconds since 1970.", whole),
      since: about("Since when it waits, in milliseconds since 1970.", whole),
      agent: about("The name of the agent that requests it.", text),
      foreign: about(
        "True if another agent continues the thread, for example because its persona changed. Then `decisions` contains neither `approve` nor `edit`, and nothing if the server does not have the persona of the thread.",
        flag,
      ),
      rule: about("The rule that requires the decision.", ref("ApprovalRule")),
      title: text,
      description: about("The description of the tool.", text),
      schema: about("The JSON Schema of the arguments.", record),
      annotations: ref("ToolAnnotations"),
      render: about("What the call will do, as data for a page.", ref("Rendered")),
      ...inexact,
      ...more,
    },
  );

/** Calls, decisions and allowances. */
export const callComponents: Readonly<Record<string, Schema>> = {
  PendingCall: { description: "A call that waits for a decision.", ...pendingCall() },
  ApprovalRule: {
    description: "The rule that stopped a call.",
    ...object(
      {
        from: about("`tool`, `agent`, or the name of a middleware.", text),
        tools: about("The names of tools that the rule applies to, with wildcards.", list(text)),
        conditional: about("True if the rule has a condition, which this call meets.", flag),
      },
      { reason: about("Why these calls need a decision.", text) },
    ),
  },
  ToolAnnotations: {
    description: "What a tool does.",
    ...object({}, { readOnly: flag, destructive: flag, edits: flag }),
  },
  Rendered: {
    description: "What a call will do, as data for a page.",
    oneOf: [
      object({ type: oneOf("diff"), path: text, text: about("A unified diff.", text) }),
      object({ type: oneOf("command"), command: text }),
      object({ type: oneOf("table"), columns: list(text), rows: list(list(text)) }),
      object({ type: oneOf("markdown"), text }),
    ],
  },
  Call: {
    description: "A call of a thread in any state.",
    ...object(
      {
        id: text,
        name: about("The name of the tool.", text),
        arguments: about("The arguments to execute, or their text if they are incomplete.", anything),
        status: ref("CallState"),
      },
      {
        decision: ref("Decision"),
        proposed: ref("ProposedCall"),
        allowance: ref("CallAllowance"),
        thread: about("The child thread on which an agent runs the call.", text),
        result: about("The result for the model: a text, or its parts.", anything),
        error: text,
        startedAt: about("When its tool was started, in milliseconds since 1970.", whole),
        endedAt: about("When the call ended, in milliseconds since 1970.", whole),
        ...inexact,
      },
    ),
  },
  CallState: {
    description: "The state of a call. `lost`: its process ended while it was running.",
    ...oneOf("proposed", "awaiting", "approved", "running", "delegated", ...settledStates),
  },
  RefusedCall: {
    description: "A call whose decision was refused, as it is now.",
    ...object(
      { id: text, problem: about("Why the decision was refused.", text) },
      {
        status: about("Absent if there is no such call.", ref("CallState")),
        decision: about("What was decided before.", ref("Decision")),
        pending: about("Present if the call still waits.", ref("PendingCall")),
      },
    ),
  },
  Decision: {
    description: "The decision of a person about a call.",
    ...object(
      { type: decisionTypes, at: clock },
      { by: text, reason: text, proposed: ref("ProposedCall"), always: object({ scope, match }) },
    ),
  },
  ProposedCall: {
    description: "The original call, if a person or a hook substituted another one.",
    ...object({ name: text, arguments: anything }),
  },
  CallAllowance: {
    description: "The allowance under which a call needed no decision.",
    ...object({ id: text, scope, at: clock }, { by: text }),
  },
  Allowance: {
    description: "A stored permission: calls of a tool need no decision.",
    ...allowance(),
  },
  ProjectAllowance: {
    description: "An allowance of any thread or persona of a project.",
    ...allowance(
      { persona: about("The persona whose calls it covers.", text) },
      { threadTitle: about("The title of its thread, if it applies to one.", text) },
    ),
  },
};

function allowance(more: Fields = {}, optional: Fields = {}): Schema {
  return object(
    {
      id: text,
      tool: text,
      scope: about("`thread`: it applies to this thread. `agent`: to all threads of the persona.", scope),
      match: about("`tool`: all calls. `arguments`: calls with the same arguments.", match),
      threadId: about(
        "The thread of the call that created it. A child thread is named by its root and the calls that lead to it, joined by `/`.",
        text,
      ),
      callId: text,
      at: clock,
      ...more,
    },
    { by: text, arguments: about("The covered arguments.", anything), ...inexact, ...optional },
  );
}
