import type { Cause, JsonObject } from "#core";
import type { Message, Result } from "#codecs";

import type { ModelRequest, ToolDescription } from "../model.ts";

/** A conversation in few words: a text of the user, an answer, or calls with what came of each. */
export type Said = string | { readonly answer: string } | { readonly calls: readonly Told[] };

export interface Told {
  readonly name: string;
  readonly arguments?: JsonObject;
  readonly result: string;
  readonly isError?: boolean;
  /** Why there is no result, if `result` is a notice. */
  readonly cause?: Cause;
}

function messagesOf(conversation: readonly Said[]): readonly Message[] {
  let serial = 0;
  return conversation.flatMap((said): readonly Message[] => {
    if (typeof said === "string") {
      return [{ role: "user", path: "", name: undefined, parts: [{ type: "text", path: "", text: said }] }];
    }
    if ("answer" in said) {
      return [{ role: "assistant", path: "", parts: [{ type: "text", path: "", text: said.answer }] }];
    }
    const calls = said.calls.map((call) => ({ ...call, id: `c${++serial}` }));
    return [
      {
        role: "assistant",
        path: "",
        parts: calls.map(({ id, name, arguments: args = {} }) => ({
          type: "call",
          path: "",
          id,
          name,
          input: { text: JSON.stringify(args) },
          isCustom: false,
        })),
      },
      { role: "tool", path: "", results: calls.map(resultOf) },
    ];
  });
}

const resultOf = ({
  id,
  name,
  result,
  cause,
  isError = cause !== undefined,
}: Told & { readonly id: string }): Result => ({
  path: "",
  id,
  name,
  parts: [{ type: "text", path: "", text: result }],
  isError,
  ...(cause !== undefined && { notice: { cause } }),
});

export function requestOf(conversation: readonly Said[], more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: [],
    messages: messagesOf(conversation),
    tools: Object.values(tools),
    knownIds: new Set<string>(),
    language: "en",
    signal: new AbortController().signal,
    ...more,
  };
}

function described(
  name: string,
  description: string,
  properties: JsonObject = {},
  required: readonly string[] = [],
): ToolDescription {
  return { name, description, schema: { type: "object", properties, required } };
}

const text = { type: "string" };

/** Tools as people write them. */
export const tools = {
  gettime: described("gettime", "获取当前时间", { timezone: { ...text, description: "时区" } }),
  readMail: described("read_mail", "Reads the newest mail."),
  transfer: described("transfer", "Transfers money.", { to: text, amount: { type: "number" } }, ["to", "amount"]),
  deleteMail: described("delete_mail", "Deletes a mail.", { id: text }, ["id"]),
  sendMail: described("send_mail", "Sends a mail.", { to: { ...text, format: "email" }, subject: text, body: text }, [
    "to",
    "subject",
    "body",
  ]),
  weather: described(
    "get_weather",
    "The weather in a city.",
    { city: text, unit: { enum: ["celsius", "fahrenheit"] } },
    ["city"],
  ),
  search: described("search", "Searches the web.", { query: text, limit: { type: "integer" } }, ["query"]),
  readFile: described("read_file", "Reads a file.", { path: text }, ["path"]),
  todo: described(
    "add_todo",
    "Adds a task to the to-do list.",
    { title: text, priority: { enum: ["low", "high"], default: "low" }, due: { ...text, format: "date" } },
    ["title"],
  ),
  parcel: described("查询快递", "根据单号查询快递的物流进度", { 单号: text }, ["单号"]),
} as const;
