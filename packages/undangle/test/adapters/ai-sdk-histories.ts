/** Histories of model messages that poison every turn, each as a program finds it in its store. */
type Wire = Readonly<Record<string, unknown>>;

/** A message as a store gives it back. */
export type Message = Wire & { readonly role: string };

const user = (text: string): Message => ({ role: "user", content: text });

const call = (id: string, toolName = "search"): Wire => ({
  type: "tool-call",
  toolCallId: id,
  toolName,
  input: { query: id },
});

const result = (id: string, value: string, toolName = "search"): Wire => ({
  type: "tool-result",
  toolCallId: id,
  toolName,
  output: { type: "text", value },
});

const calling = (...content: Wire[]): Message => ({ role: "assistant", content });
const tool = (...content: Wire[]): Message => ({ role: "tool", content });
const ask = (approvalId: string, toolCallId: string): Wire => ({
  type: "tool-approval-request",
  approvalId,
  toolCallId,
});
const decide = (approvalId: string, approved: boolean, reason?: string): Wire => ({
  type: "tool-approval-response",
  approvalId,
  approved,
  ...(reason === undefined ? {} : { reason }),
});

/** What makes `generateText` throw before any middleware runs. */
export const thrown: Readonly<Record<string, readonly Message[]>> = {
  "a call at the very end": [user("Find it."), calling(call("c1"))],
  "a call that a message superseded": [user("Find it."), calling(call("c1")), user("Never mind.")],
  "one call of three without a result": [
    user("Find them."),
    calling(call("c1"), call("c2"), call("c3")),
    tool(result("c1", "first"), result("c3", "third")),
    user("And?"),
  ],
  "a result that came late": [
    user("Find it."),
    calling(call("c1")),
    user("Still there?"),
    tool(result("c1", "found late")),
  ],
  "a result before its call": [user("Find it."), tool(result("c1", "early")), calling(call("c1")), user("And?")],
  "a result inside of the assistant message": [
    user("Find it."),
    calling(call("c1"), result("c1", "inside")),
    user("And?"),
  ],
  "a pending approval and a new message": [
    user("Delete it."),
    calling(call("c1", "remove"), ask("a1", "c1")),
    user("Wait."),
  ],
  "an approval that was never acted upon": [
    user("Delete it."),
    calling(call("c1", "remove"), ask("a1", "c1")),
    tool(decide("a1", true)),
    user("Wait."),
  ],
  "a refusal and a new message": [
    user("Delete them."),
    calling(call("c1"), call("c2", "remove"), ask("a2", "c2"), call("c3")),
    tool(result("c1", "first"), decide("a2", false, "not on a Friday"), result("c3", "third")),
    user("And?"),
  ],
  "one of two approvals answered": [
    user("Delete them."),
    calling(call("c1", "remove"), ask("a1", "c1"), call("c2", "remove"), ask("a2", "c2")),
    tool(decide("a1", true)),
  ],
};

/** What the SDK passes on, and the provider refuses. */
export const passedOn: Readonly<Record<string, readonly Message[]>> = {
  "a result without a call": [user("Go on."), tool(result("c0", "the only record")), user("And?")],
  "two results for one call": [
    user("Find it."),
    calling(call("c1")),
    tool(result("c1", "one"), result("c1", "two")),
    user("And?"),
  ],
  "a result behind other words of the assistant": [
    user("Find it."),
    calling(call("c1")),
    calling({ type: "text", text: "One moment." }),
    tool(result("c1", "found")),
    user("And?"),
  ],
};

/** What both versions act upon by themselves. */
export const approvedAtTheEnd: readonly Message[] = [
  user("Delete them."),
  calling(call("c1", "remove"), ask("a1", "c1"), call("c2", "remove"), ask("a2", "c2")),
  tool(decide("a1", true), decide("a2", false, "keep this one")),
];

/** Two clicks, stored as two messages: the SDK looks at the last one only. */
export const approvedOneByOne: readonly Message[] = [
  user("Delete them."),
  calling(call("c1", "remove"), ask("a1", "c1"), call("c2", "remove"), ask("a2", "c2")),
  tool(decide("a1", true)),
  tool(decide("a2", true)),
];

/** Messages of a page, with a part of one state and the user's next message behind it. */
export function pageWith(part: Wire, isLast = false): readonly Message[] {
  const asked = { id: "m1", role: "user", parts: [{ type: "text", text: "Find it." }] };
  const answered = { id: "m2", role: "assistant", parts: [{ type: "step-start" }, part] };
  const next = { id: "m3", role: "user", parts: [{ type: "text", text: "Well?" }] };
  return isLast ? [asked, answered] : [asked, answered, next];
}

const base = { type: "tool-search", toolCallId: "c1" };

export const halfDoneParts: Readonly<Record<string, Wire>> = {
  "a call whose input was still streaming": { ...base, state: "input-streaming", input: { query: "wea" } },
  "a call of which nothing was streamed yet": { ...base, state: "input-streaming", input: undefined },
  "a call that was never run": { ...base, state: "input-available", input: { query: "weather" } },
  "a call that waits for an approval": {
    ...base,
    state: "approval-requested",
    input: { query: "weather" },
    approval: { id: "a1" },
  },
  "a call that was approved and never run": {
    ...base,
    state: "approval-responded",
    input: { query: "weather" },
    approval: { id: "a1", approved: true },
  },
  "a call that was refused": {
    ...base,
    state: "approval-responded",
    input: { query: "weather" },
    approval: { id: "a1", approved: false, reason: "too dear" },
  },
  "a tool that is not known by name": {
    type: "dynamic-tool",
    toolName: "mcp_search",
    toolCallId: "c1",
    state: "input-available",
    input: { query: "weather" },
  },
};
