import type { ResponseEnd, ResponsePart, FinishReason, Tokens } from "./response-builder.ts";

/** The fields that every chunk and body of a response repeat. */
export interface ResponseHead {
  readonly id: string;
  /** In seconds since the epoch. */
  readonly created: number;
  readonly model: string;
}

/** The fields that Undangle adds: the thread and its pending calls. */
export interface UndangleNote {
  readonly thread_id: string;
  readonly status: string;
  readonly pending?: readonly unknown[];
  readonly error?: { readonly code: string; readonly message: string };
}

/** A complete response in OpenAI's format. */
export function writeBody(
  { id, created, model }: ResponseHead,
  parts: readonly ResponsePart[],
  { finish, usage, note }: { readonly finish: FinishReason; readonly usage: Tokens; readonly note: UndangleNote },
): object {
  const text = joined(parts, "text");
  const reasoning = joined(parts, "reasoning");
  const calls = parts.flatMap((part) => (part.type === "call" ? [callOf(part)] : []));
  const message = {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    usage,
    undangle: note,
  };
}

const joined = (parts: readonly ResponsePart[], type: "text" | "reasoning"): string =>
  parts.map((part) => (part.type === type ? part.text : "")).join("");

const callOf = ({ id, name, arguments: text }: Extract<ResponsePart, { type: "call" }>): object => ({
  id,
  type: "function",
  function: { name, arguments: text },
});

/** Writes the chunks of one response: the role first, every call with its own index, one end. */
export interface ChunkWriter {
  first(): string;
  part(part: ResponsePart): string;
  last(end: ResponseEnd, note: UndangleNote): string;
  /** After the last chunk, for clients that requested it. */
  usage(tokens: Tokens): string;
  readonly done: string;
}

export function createChunkWriter(head: ResponseHead, wantsUsage: boolean): ChunkWriter {
  const common = { ...head, object: "chat.completion.chunk" };
  const chunk = (delta: object, finish: FinishReason | null = null, more: object = {}): string =>
    event({
      id: common.id,
      object: common.object,
      created: common.created,
      model: common.model,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(wantsUsage && { usage: null }),
      ...more,
    });
  let calls = 0;
  return {
    first: () => chunk({ role: "assistant", content: "", refusal: null }),
    part(part) {
      if (part.type === "text") return chunk({ content: part.text });
      if (part.type === "reasoning") return chunk({ reasoning_content: part.text });
      if (part.type === "discarded") return "";
      const index = calls++;
      const {
        id,
        type,
        function: made,
      } = callOf(part) as { id: string; type: string; function: { name: string; arguments: string } }; // written above
      return (
        chunk({ tool_calls: [{ index, id, type, function: { name: made.name, arguments: "" } }] }) +
        chunk({ tool_calls: [{ index, function: { arguments: made.arguments } }] })
      );
    },
    last: ({ finish }, note) => chunk({}, finish, { undangle: note }),
    usage: (tokens) =>
      event({
        id: common.id,
        object: common.object,
        created: common.created,
        model: common.model,
        choices: [],
        usage: tokens,
      }),
    done: "data: [DONE]\n\n",
  };
}

/** An SSE event. */
export const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
