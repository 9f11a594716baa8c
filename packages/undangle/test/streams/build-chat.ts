import type { Frame } from "./build.ts";

export const DONE = "[DONE]";

type Wire = Readonly<Record<string, unknown>>;

/** A chunk with these choices. */
export const chunk = (choices: unknown, more: Wire = {}): Wire => ({
  id: "chatcmpl-Q7m2",
  object: "chat.completion.chunk",
  created: 1_790_000_000,
  model: "some-model",
  choices,
  ...more,
});

/** A chunk with one delta. */
export const delta = (given: unknown, finish: unknown = null): Wire =>
  chunk([{ index: 0, delta: given, finish_reason: finish }]);

export const role = delta({ role: "assistant", content: null });

export const says = (content: unknown): Wire => delta({ content });

/** A chunk with entries of tool calls. */
export const calls = (...entries: readonly unknown[]): Wire => delta({ tool_calls: entries });

/** The first entry of a call. */
export const begin = (index: unknown, id: unknown, name: unknown, args: unknown = ""): Wire => ({
  index,
  id,
  type: "function",
  function: { name, arguments: args },
});

/** A later entry of a call. */
export const more = (index: unknown, args: unknown): Wire => ({ index, function: { arguments: args } });

/** An entry as it stands, with what is undefined left out. */
export const entry = ({ name, args, ...rest }: Wire): Wire => ({
  ...rest,
  function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
});

export const end = (reason: unknown = "tool_calls"): Wire => delta({}, reason);

/** A whole stream: the role first, then these, then the end. */
export const chat = (...frames: readonly Frame[]): readonly Frame[] => [role, ...frames, end(), DONE];

/** The same with the end that most servers give when nothing was called. */
export const chatText = (...frames: readonly Frame[]): readonly Frame[] => [role, ...frames, end("stop"), DONE];
