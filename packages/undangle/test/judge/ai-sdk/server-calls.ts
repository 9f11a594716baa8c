import { isText, listOf, recordOf, type Loose } from "../../../src/testing/judge/loose.ts";
import type { Verdict } from "../../../src/testing/judge/verdict.ts";

/** One thing that a list says, in order: a call that a provider runs, its result, words, the results of other calls. */
type Event =
  | { readonly type: "call"; readonly id: unknown; readonly path: string }
  | { readonly type: "result"; readonly id: unknown }
  | { readonly type: "assistant" | "tools" | "user" };

/** A call that a provider runs has its result before the user speaks again, or nothing but results of other calls follows. */
function judgeEvents(events: readonly Event[]): Verdict[] {
  return events.flatMap((event, index): Verdict[] => {
    if (event.type !== "call") return [];
    const after = events.slice(index + 1);
    const user = after.findIndex(({ type }) => type === "user");
    const loop = user < 0 ? after : after.slice(0, user);
    if (loop.some((other) => other.type === "result" && other.id === event.id)) return [];
    const isLastTurn = !loop.some(({ type }) => type === "tools");
    const isWaiting = loop.findLast(({ type }) => type === "tools" || type === "assistant")?.type === "tools";
    if (user < 0 && (isLastTurn || isWaiting)) return [];
    const text = `tool use with id ${String(event.id)} was found without a corresponding result block`;
    return [{ id: "ANT-SRV-UNPAIRED", path: event.path, text }];
  });
}

/** The rule for model messages. */
export function judgeServerCalls(messages: readonly unknown[]): Verdict[] {
  return judgeEvents(
    messages.flatMap((raw, index): Event[] => {
      const { role, content } = recordOf(raw);
      const parts = listOf(content).map(recordOf);
      const results = parts.flatMap(({ type, toolCallId: id }): Event[] =>
        type === "tool-result" ? [{ type: "result", id: isText(id) ? id : "" }] : [],
      );
      if (role === "tool" && Array.isArray(content)) return [...results, { type: "tools" }];
      if (role === "user") return parts.length > 0 && results.length === parts.length ? [] : [{ type: "user" }];
      if (role !== "assistant") return [];
      const gated = parts.filter(({ type }) => type === "tool-approval-request").map(({ toolCallId }) => toolCallId);
      return [
        { type: "assistant" },
        ...parts.flatMap(({ type, toolCallId: given, providerExecuted }, at): Event[] => {
          const id = isText(given) ? given : "";
          if (type === "tool-result") return [{ type: "result", id }];
          const isCall = type === "tool-call" && providerExecuted === true && !gated.includes(given);
          return isCall ? [{ type: "call", id, path: `messages[${index}].content[${at}]` }] : [];
        }),
      ];
    }),
  );
}

/** The same for the messages of a page, in which a call and its result are one part. */
export function judgeServerParts(messages: readonly unknown[]): Verdict[] {
  return judgeEvents(
    messages.flatMap((raw, index): Event[] => {
      const { role, parts } = recordOf(raw);
      if (role === "user") return [{ type: "user" }];
      if (role !== "assistant") return [];
      const events: Event[] = [];
      let hasTools = false;
      const end = (): void => {
        if (hasTools) events.push({ type: "tools" });
        hasTools = false;
      };
      listOf(parts).forEach((each, at) => {
        const part = recordOf(each);
        const type = isText(part["type"]) ? part["type"] : "";
        if (type === "step-start" || type === "steering-message") {
          end();
          if (type === "steering-message") events.push({ type: "user" });
          return;
        }
        if (type === "" || /^(?:source-|data-)/u.test(type)) return;
        events.push({ type: "assistant" });
        if (!isTool(type)) return;
        if (part["providerExecuted"] !== true) hasTools = true;
        else if (isOpen(part)) events.push({ type: "call", id: Symbol(), path: `messages[${index}].parts[${at}]` });
      });
      end();
      return events;
    }),
  );
}

const isTool = (type: string): boolean =>
  type === "dynamic-tool" || (type.startsWith("tool-") && type !== "tool-invocation");

/** Input that is still streaming is not sent, and an approval is the provider's affair. */
const isOpen = ({ state }: Loose): boolean => state === "input-available";
