import type { JsonObject } from "#core";
import { describe, expect, test } from "vitest";

import { markAnthropicCache } from "./cache-markers.ts";

const text = (words: string, more: JsonObject = {}) => ({ type: "text", text: words, ...more });
const brief = { type: "ephemeral" };
const long = { type: "ephemeral", ttl: "1h" };
const marked = { cache_control: brief };
const tool = (name: string, more: JsonObject = {}) => ({ name, input_schema: { type: "object" }, ...more });
const call = (id: string) => ({ type: "tool_use", id, name: "add", input: {} });
const result = (id: string, more: JsonObject = {}) => ({ type: "tool_result", tool_use_id: id, content: "3", ...more });

const request: JsonObject = {
  tools: [tool("add"), tool("find")],
  system: [text("Be brief."), text("Be kind."), text("\n\nThe user likes tea.")],
  messages: [
    { role: "user", content: "1 + 2?" },
    { role: "assistant", content: [text("I add."), call("a")] },
    { role: "user", content: [result("a")] },
  ],
};
const memory = "\n\nThe user likes tea.";

/** The markers of a body: where they are, and how long they last. */
function markersIn(value: unknown, path = ""): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each, i) => markersIn(each, `${path}[${i}]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key !== "cache_control") return markersIn(inner, path === "" ? key : `${path}.${key}`);
    return [`${path} ${(inner as { readonly ttl?: string }).ttl ?? "5m"}`.trim()];
  });
}

describe("cache markers of Anthropic", () => {
  test("PC1, PC9: are at the end of the tools, the static text, the memory and the last message", () => {
    const body = markAnthropicCache(request, { volatileText: memory });
    expect(markersIn(body)).toEqual(["tools[1] 5m", "system[1] 5m", "system[2] 5m", "messages[2].content[0] 5m"]);
    expect(markersIn(markAnthropicCache(request, {}))).toEqual([
      "tools[1] 5m",
      "system[2] 5m",
      "messages[2].content[0] 5m",
    ]);
    expect(markersIn(request)).toEqual([]);
  });

  test("turn a text into a block, and leave everything else as it is", () => {
    const given = { system: "Be brief.", messages: [{ role: "user", content: "Hello." }] };
    expect(markAnthropicCache(given, { ttl: "1h" })).toEqual({
      system: [text("Be brief.", { cache_control: long })],
      messages: [{ role: "user", content: [text("Hello.", { cache_control: long })] }],
    });
    const body = markAnthropicCache(request, {});
    const [messages, before] = [body["messages"], request["messages"]] as readonly (readonly unknown[])[];
    expect([messages?.[0] === before?.[0], messages?.[1] === before?.[1]]).toEqual([true, true]);
  });

  const thinking = { type: "thinking", thinking: "Hm.", signature: "s" };
  const user = (content: unknown) => ({ role: "user", content });
  const assistant = (...content: readonly unknown[]) => ({ role: "assistant", content });

  test.each<[name: string, body: JsonObject, markers: readonly string[]]>([
    ["nothing to mark", { messages: [user("")] }, []],
    ["PC2: an empty text is passed over", { messages: [user([text("Hi."), text("")])] }, ["messages[0].content[0] 5m"]],
    ["PC2: and a blank one", { system: [text("Be brief."), text("\n")], messages: [] }, ["system[0] 5m"]],
    ["PC2: an empty message is passed over", { messages: [user("Hi."), user(" ")] }, ["messages[0].content[0] 5m"]],
    [
      "PC2: an empty result is marked itself",
      { messages: [user([result("a", { content: [text("")] })])] },
      ["messages[0].content[0] 5m"],
    ],
    [
      "thinking has no markers",
      { messages: [user("Hi."), assistant(text("Hm."), thinking, { type: "redacted_thinking", data: "x" })] },
      ["messages[1].content[0] 5m"],
    ],
    [
      "a deferred tool is not in the prompt",
      { tools: [tool("add"), tool("find", { defer_loading: true })], messages: [user("Hi.")] },
      ["tools[0] 5m", "messages[0].content[0] 5m"],
    ],
  ])("%s", (_name, body, markers) => {
    expect(markersIn(markAnthropicCache(body, {}))).toEqual(markers);
  });

  test.each<[name: string, own: JsonObject, markers: readonly string[]]>([
    [
      "a marked tool",
      { tools: [tool("add", marked), tool("find")] },
      ["tools[0] 5m", "system[1] 5m", "system[2] 5m", "messages[2].content[0] 5m"],
    ],
    [
      "a marker at a place of ours",
      { tools: [tool("add"), tool("find", marked)] },
      ["tools[1] 5m", "system[1] 5m", "system[2] 5m", "messages[2].content[0] 5m"],
    ],
    [
      "a marker inside a result",
      { messages: [user("Hi."), assistant(call("a")), user([result("a", { content: [text("3", marked)] })])] },
      ["tools[1] 5m", "system[1] 5m", "system[2] 5m", "messages[2].content[0].content[0] 5m"],
    ],
    ["the automatic marker, which is on the last block", marked, ["tools[1] 5m", "system[1] 5m", "system[2] 5m", "5m"]],
    [
      "as many as the API takes",
      { tools: [tool("a", marked), tool("b", marked), tool("c", marked), tool("d", marked)] },
      ["tools[0] 5m", "tools[1] 5m", "tools[2] 5m", "tools[3] 5m"],
    ],
    [
      "more than the API takes",
      { tools: [tool("a", marked), tool("b", marked), tool("c", marked), tool("d", marked), tool("e", marked)] },
      ["tools[0] 5m", "tools[1] 5m", "tools[2] 5m", "tools[3] 5m", "tools[4] 5m"],
    ],
  ])("PC1: markers of the caller stay and count: %s", (_name, own, markers) => {
    const body = markAnthropicCache({ ...request, ...own }, { volatileText: memory });
    expect([...markersIn(body)].sort()).toEqual([...markers].sort());
  });

  test.each<[ttl: "5m" | "1h", own: JsonObject, markers: readonly string[]]>([
    ["1h", { system: [text("Be brief.", marked)] }, ["tools[1] 1h", "system[0] 5m", "messages[2].content[0] 5m"]],
    [
      "5m",
      { system: [text("Be brief.", { cache_control: long })] },
      ["tools[1] 1h", "system[0] 1h", "messages[2].content[0] 5m"],
    ],
    ["5m", { cache_control: long }, ["tools[1] 1h", "system[2] 1h", "1h"]],
  ])("PC1: longer ones come first: %s", (ttl, own, markers) => {
    const body = markAnthropicCache({ ...request, ...own }, { ttl });
    expect([...markersIn(body)].sort()).toEqual([...markers].sort());
  });

  const parallel = (count: number) => {
    const ids = Array.from({ length: count }, (_, i) => `c${i}`);
    return [user("All."), assistant(...ids.map(call)), user(ids.map((id) => result(id)))];
  };

  test("PC8: the end of the previous request is marked if the lookback does not reach it", () => {
    const near = { ...request, messages: parallel(9) };
    expect(markersIn(markAnthropicCache(near, {}))).toEqual([
      "tools[1] 5m",
      "system[2] 5m",
      "messages[2].content[8] 5m",
    ]);
    const far = { ...request, messages: parallel(10) };
    expect(markersIn(markAnthropicCache(far, { volatileText: memory }))).toEqual([
      "system[1] 5m",
      "system[2] 5m",
      "messages[0].content[0] 5m",
      "messages[2].content[9] 5m",
    ]);
  });
});
