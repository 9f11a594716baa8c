/** A history as a cut reads it: who starts each message, and which messages must stay together. */
export interface Outline {
  readonly messages: readonly OutlinedMessage[];
  /** The first message that must not be removed, because one of its calls still waits for its result. */
  readonly pending: number | undefined;
}

export interface OutlinedMessage {
  /** The role of its first part; `result` also stands for anything that cannot be first. */
  readonly role: "system" | "user" | "assistant" | "result";
  /** True if it contains text or media of a user, with or without results before it. */
  readonly isUser: boolean;
  /** The index of the first message that must be kept with it: that of a call whose result it contains, or its own. */
  readonly needs: number;
  /**
   * True if it starts with signed thinking. After thinking, later turns of a tool loop depend on it: Anthropic refuses a
   * loop that does not begin with it, and OpenAI an item without its reasoning.
   */
  readonly isThinking: boolean;
}

/** The places where a history can be cut, as indexes of the first kept message after the head. */
export interface Cuts {
  /** The number of system messages at the start, which are always kept. */
  readonly head: number;
  /** The index of the last message of a user; undefined if there is none. */
  readonly lastUser: number | undefined;
  /** Before messages of a user: the rest is valid by itself. */
  readonly users: readonly number[];
  /** Before turns of the model: the rest is valid after a message of a user. */
  readonly turns: readonly number[];
}

/**
 * Finds every place where a history can be cut: never between a call and its result, whatever lies between the two,
 * never inside a turn, never after a pending call. One pass.
 */
export function findCuts({ messages, pending = messages.length }: Outline): Cuts {
  const needed = neededFrom(messages);
  const users: number[] = [];
  const turns: number[] = [];
  let head = 0;
  let lastUser: number | undefined;
  let before: OutlinedMessage["role"] = "system"; // without system messages in the middle
  let hasThought = false; // in this loop
  messages.forEach(({ role, isUser, isThinking }, i) => {
    if (role === "system") {
      if (head === i) head++;
      return;
    }
    const startsTurn = role === "assistant" && before !== "assistant" && (isThinking || !hasThought);
    before = role;
    hasThought = !isUser && (hasThought || isThinking);
    if (isUser) lastUser = i;
    if (i === head || i > pending || (needed[i] ?? i) < i) return;
    if (role === "user") users.push(i);
    else if (startsTurn) turns.push(i);
  });
  return { head, lastUser, users, turns };
}

/** For each message, the first message that it or any later message needs. */
function neededFrom(messages: readonly OutlinedMessage[]): readonly number[] {
  const needed: number[] = Array.from({ length: messages.length }, () => 0);
  let first = messages.length;
  for (let i = messages.length - 1; i >= 0; i--) {
    first = Math.min(first, messages[i]?.needs ?? i);
    needed[i] = first;
  }
  return needed;
}

/** What a cut keeps: the head, one message of a user if that is before `from`, and everything from `from`. */
export interface Cut {
  readonly head: number;
  readonly user: number | undefined;
  readonly from: number;
}

/**
 * The cut that keeps most within a size; undefined if nothing has to be removed, or nothing can be. The head does not
 * count. The last message of a user is kept, also if the cut is after it. If even the smallest rest is too large, that
 * rest is kept.
 */
export function chooseCut(outline: Outline, sizes: readonly number[], keep: number): Cut | undefined {
  const { head, lastUser, users, turns } = findCuts(outline);
  const rest = restSizes(sizes);
  if (lastUser === undefined || (rest[head] ?? 0) <= keep) return undefined;
  let chosen: Cut | undefined;
  for (const from of users) {
    chosen = { head, user: undefined, from };
    if ((rest[from] ?? 0) <= keep) return chosen;
  }
  // A message with results is not kept without their calls.
  if (outline.messages[lastUser]?.role !== "user") return chosen;
  for (const from of turns) {
    if (from <= lastUser + 1) continue;
    chosen = { head, user: lastUser, from };
    if ((rest[from] ?? 0) + (sizes[lastUser] ?? 0) <= keep) return chosen;
  }
  return chosen;
}

/** For each message, the size of it and everything after it. */
function restSizes(sizes: readonly number[]): readonly number[] {
  const rest: number[] = Array.from({ length: sizes.length }, () => 0);
  let sum = 0;
  for (let i = sizes.length - 1; i >= 0; i--) {
    sum += sizes[i] ?? 0;
    rest[i] = sum;
  }
  return rest;
}

/** The kept and the removed messages of a cut, in order. */
export function applyCut<T>(
  list: readonly T[],
  { head, user, from }: Cut,
): { readonly kept: T[]; readonly removed: T[] } {
  const kept: T[] = [];
  const removed: T[] = [];
  list.forEach((each, i) => {
    (i < head || i === user || i >= from ? kept : removed).push(each);
  });
  return { kept, removed };
}
