import { codecs } from "#codecs";
import type { StreamFormat } from "#codecs";
import { isRecord, wordOf } from "#core";

import type { Endpoint } from "./endpoint.ts";
import type { ReadRequest } from "./request-body.ts";

type Body = Readonly<Record<string, unknown>>;
type Sent = Pick<ReadRequest, "body" | "agent" | "version">;

/**
 * True unless the messages of a request say that it is somebody's own, at a path that ends as one of the format does: rules
 * of the format would take away what they do not know.
 */
export function showsFormat(sent: Sent, { format, provider }: Endpoint): boolean {
  const look = looks[format];
  if (look === undefined || provider !== undefined) return true; // nobody else has such a path, or somebody said whose it is
  const list = sent.body[codecs[format].listKey];
  if (!Array.isArray(list) || list.length === 0 || look.isSaid(sent)) return true;
  const { isOwn, isOf } = look;
  return (
    list.some((message) => isRecord(message) && isOwn(message)) || list.every((each) => isRecord(each) && isOf(each))
  );
}

/** True where who sends a request tells its format, or what stands around its messages; also where nobody else has such a path. */
export const isSaidBy = (sent: Sent, format: StreamFormat): boolean => looks[format]?.isSaid(sent) ?? true;

interface Look {
  /** What stands around the messages, or who sends them, tells the format. */
  readonly isSaid: (sent: Sent) => boolean;
  /** A message that shows the format. */
  readonly isOwn: (message: Body) => boolean;
  /** One that may be of it, and shows no other. */
  readonly isOf: (message: Body) => boolean;
}

const isOpenAis = ({ agent }: Sent): boolean => /openai/iu.test(agent);

const looks: Readonly<Partial<Record<StreamFormat, Look>>> = {
  anthropic: {
    isSaid: ({ body, agent, version }) =>
      version !== undefined || /anthropic/iu.test(agent) || codecs.anthropic.signs.body(body),
    isOwn: (message) => codecs.anthropic.signs.message(message),
    isOf: isWritten(["user", "assistant"], ["role", "content"]),
  },
  "openai-responses": {
    isSaid: (sent) => isOpenAis(sent) || responsesKeys.some((key) => key in sent.body),
    isOwn: (message) => codecs["openai-responses"].signs.message(message),
    isOf: isWritten(["user", "assistant", "system", "developer"], ["role", "content", "type", "id", "status", "phase"]),
  },
  "openai-chat": {
    isSaid: (sent) => isOpenAis(sent) || codecs["openai-chat"].signs.body(sent.body),
    isOwn: (message) => typeof message["role"] === "string" && chatKeys.some((key) => key in message),
    isOf: () => false,
  },
};

const responsesKeys = [
  "instructions",
  "previous_response_id",
  "conversation",
  "max_output_tokens",
  "reasoning",
  "include",
];

/** What a message of the chat format says something in. */
const chatKeys = ["content", "tool_calls", "function_call", "refusal", "audio"];

/** Tells messages that one of these has sent, with these keys and no others. */
function isWritten(roles: readonly string[], keys: readonly string[]): Look["isOf"] {
  return (message) =>
    roles.includes(wordOf(message["role"])) &&
    "content" in message &&
    Object.keys(message).every((key) => keys.includes(key));
}
