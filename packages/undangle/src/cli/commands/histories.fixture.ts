/** A call without a result: a provider refuses it, a repair mends it. */
export const dangling = {
  model: "gpt-4o",
  messages: [
    { role: "user", content: "what time is it?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "gettime", arguments: "{}" } }],
    },
    { role: "user", content: "never mind" },
  ],
};

/** Nothing is wrong with it. */
export const healthy = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };

/** Nobody can mend it. */
export const empty = { model: "gpt-4o", messages: [] };

export const notice =
  "Tool call gettime with id call_1 was cancelled - another message came in before it could be completed.";
