import { repair } from "undangle";
import { expect, test } from "vitest";

import { serve } from "./serve-fixture.ts";

const say = (content: string) => ({ role: "user", content });
const calls = (...ids: readonly string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "look", arguments: "{}" } })),
});
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "seen" });

test.each<[string, readonly object[]]>([
  ["before a message of the user", [say("Go."), calls("a"), say("And?")]],
  ["beside a result, before a message of the user", [say("Go."), calls("a", "b"), result("b"), say("And?")]],
  ["beside a result at the end", [say("Go."), calls("a", "b"), result("b")]],
  ["before another answer", [say("Go."), calls("a"), { role: "assistant", content: "Well." }, say("And?")]],
])("a chat reports a call without a result as repair does: %s", async (_, messages) => {
  const { model, call } = serve({ turns: [{ text: "Yes." }] });
  expect((await call("POST", "/v1/chat/completions", { model: "helper", messages })).status).toBe(200);
  const repaired = repair([...messages], { format: "openai-chat" }).output as readonly { readonly content: unknown }[];
  const notices = repaired.map(({ content }) => String(content)).filter((text) => text.startsWith("Tool call "));
  expect(notices).toHaveLength(1);
  const sent = JSON.stringify(model.requests[0]?.messages);
  expect(sent.match(/Tool call look with id a[^"]*/gu)).toEqual(notices);
});
