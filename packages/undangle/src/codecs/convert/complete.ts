import { createTaker, hashHex, renderNotice } from "#core";
import type { Language, Taker } from "#core";

import type { AssistantMessage, Call, CompleteConversation, Conversation, Message, Result } from "./conversation.ts";
import { inputText } from "./input-text.ts";
import { isOwnNotice } from "./results.ts";
import { textPart } from "./wire.ts";

/**
 * Fills in what a format may omit: every call gets an id, every result the id and name of its call, the results of a
 * turn become one message, and calls of plain-text tools are marked.
 */
export function complete(conversation: Conversation, language: Language): CompleteConversation {
  const custom = new Set(conversation.setting?.tools.flatMap(({ name, isCustom }) => (isCustom ? [name] : [])));
  const book: Book = { names: new Map(), waiting: new Set(), open: openCalls(new Map()) };
  const messages: Message[] = [];
  let results: Result[] | undefined;
  for (const message of conversation.messages) {
    if (message.role === "tool") {
      if (results === undefined) messages.push({ ...message, results: (results = []) });
      for (const result of message.results)
        results.push(markNotice(tellRejection(completeResult(result, book), language)));
      continue;
    }
    results = undefined;
    messages.push(message.role === "assistant" ? completeCalls(message, messages.length, { book, custom }) : message);
  }
  return { ...conversation, messages, language };
}

/** The state of the calls so far. */
interface Book {
  /** The name of the last call with an id. */
  readonly names: Map<string, string>;
  /** The ids of calls without a result so far, in any turn. */
  readonly waiting: Set<string>;
  open: OpenCalls;
}

/** The calls of the last turn without a result so far. */
interface OpenCalls {
  readonly byId: Map<string, OpenCall>;
  readonly take: Taker<OpenCall>;
  /** The same for calls with a generated id. */
  readonly takeMinted: Taker<OpenCall>;
}

interface OpenCall {
  readonly id: string;
  readonly name: string;
  /** True for a generated id, which no result can contain. */
  readonly isMinted: boolean;
}

function completeCalls(
  message: AssistantMessage,
  index: number,
  { book, custom }: { readonly book: Book; readonly custom: ReadonlySet<string> },
): AssistantMessage {
  const open = new Map<string, OpenCall>();
  const parts = message.parts.map((part, i) => {
    if (part.type !== "call") return part;
    const { name } = part;
    const isMinted = part.id === undefined || part.id === "";
    const id = isMinted ? mintId(part, index, i) : part.id;
    open.set(id, { id, name, isMinted });
    book.names.set(id, name);
    book.waiting.add(id);
    return { ...part, id, isCustom: part.isCustom || custom.has(name) };
  });
  if (open.size > 0) book.open = openCalls(open);
  return { ...message, parts };
}

const mintId = (call: Call, index: number, place: number): string =>
  `call_${hashHex(`${index}\u0000${place}\u0000${call.name}\u0000${inputText(call)}`)}`;

function completeResult(result: Result, book: Book): Result {
  const { id = "" } = result;
  // An id that only earlier calls with results have is ignored, because some clients renumber the results of every
  // turn.
  const call = book.open.byId.get(id) ?? (book.waiting.has(id) ? undefined : callFor(result, book));
  if (call === undefined) {
    book.waiting.delete(id);
    return { ...result, name: book.names.get(id) ?? result.name };
  }
  book.open.byId.delete(call.id);
  book.waiting.delete(call.id);
  return { ...result, id: call.id, name: call.name };
}

/** States that a user rejected the call, in the fixed text of histories. */
function tellRejection(result: Result, language: Language): Result {
  const { rejection, path, id = "", name = "" } = result;
  if (rejection === undefined) return result;
  const { reason } = rejection;
  const call = { id, name, ...(reason === undefined ? {} : { reason }) };
  return { ...result, parts: [textPart(renderNotice(call, "rejected", { language }), path)] };
}

/** Marks a notice as an error, even if its format could not. */
function markNotice(result: Result): Result {
  return isOwnNotice(result) ? { ...result, isError: true, saysError: true } : result;
}

function openCalls(byId: Map<string, OpenCall>): OpenCalls {
  const calls = [...byId.values()];
  return { byId, take: createTaker(calls), takeMinted: createTaker(calls.filter(({ isMinted }) => isMinted)) };
}

/** A result without a known id belongs to the first open call with its name, otherwise to the first open call. */
function callFor({ id = "", name = "" }: Result, { open }: Book): OpenCall | undefined {
  const take = id === "" ? open.take : open.takeMinted; // if both have ids, they differ
  let call = take(name);
  while (call !== undefined && !open.byId.has(call.id)) call = take(name); // matched in the meantime
  return call;
}
