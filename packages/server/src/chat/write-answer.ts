import type { ResponseEnd, ResponsePart, FinishReason, Tokens } from "./response-builder.ts";

/** The fields that every chunk and body of a response repeat. */
export interface AnswerHead {
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
  { id, created, model }: AnswerHead,
  pieces: readonly ResponsePart[],
  { finish, usage, note }: { readonly finish: FinishReason; readonly usage: Tokens; readonly note: UndangleNote },
): object {
  const text = joined(pieces, "text");
  const reasoning = joined(pieces, "reasoning");
  const calls = pieces.flatMap((piece) => (piece.type === "call" ? [callOf(piece)] : []));
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

const joined = (pieces: readonly ResponsePart[], type: "text" | "reasoning"): string =>
  pieces.map((piece) => (piece.type === type ? piece.text : "")).join("");

const callOf = ({ id, name, arguments: text }: Extract<ResponsePart, { type: "call" }>): object => ({
  id,
  type: "function",
  function: { name, arguments: text },
});

/** Writes the chunks of one response: the role first, every call with its own index, one end. */
export interface ChunkWriter {
  first(): string;
  piece(piece: ResponsePart): string;
  last(end: ResponseEnd, note: UndangleNote): string;
  /** After the last chunk, for clients that requested it. */
  usage(tokens: Tokens): string;
  readonly done: string;
}

export function createChunkWriter(head: AnswerHead, wantsUsage: boolean): ChunkWriter {
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
    piece(piece) {
      if (piece.type === "text") return chunk({ content: piece.text });
      if (piece.type === "reasoning") return chunk({ reasoning_content: piece.text });
      if (piece.type === "discarded") return "";
      const index = calls++;
      const {
        id,
        type,
        function: made,
      } = callOf(piece) as { id: string; type: string; function: { name: string; arguments: string } }; // written above
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
