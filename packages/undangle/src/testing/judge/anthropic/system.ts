import { blocksOf, isServerResult } from "./turns.ts";
import { claudeModel } from "./claude-model.ts";
import { recordOf, shown } from "../loose.ts";
import type { Verdict } from "../verdict.ts";

/** ANT-ROLE and ANT-SYS-PLACE: the valid roles, and the valid positions of a system message. */
export function judgeSystemMessages(messages: readonly unknown[], model: string): Verdict[] {
  const { takesSystemRole } = claudeModel(model);
  const roles = messages.map((message) => recordOf(message)["role"]);
  return roles.flatMap((role, index): Verdict[] => {
    const path = `messages[${index}].role`;
    if (role === "user" || role === "assistant") return [];
    if (role !== "system") {
      const text =
        role === undefined
          ? `messages.${index}.role: Field required`
          : `messages: Unexpected role "${shown(role)}". Allowed roles are "user" or "assistant"`;
      return [{ id: "ANT-ROLE", path, text }];
    }
    if (roles.slice(0, index).every((earlier) => earlier === "system")) {
      return [{ id: "ANT-ROLE", path, text: `messages.${index}: ${useParameter}` }];
    }
    const verdicts: Verdict[] = [];
    if (takesSystemRole === false) {
      verdicts.push({ id: "ANT-ROLE", path, text: `messages.${index}: role 'system' is not supported on this model` });
    }
    // On an unknown model a misplaced message is refused in any case.
    const misplaced = misplacement(messages, roles, index);
    if (misplaced !== undefined) {
      verdicts.push({ id: "ANT-SYS-PLACE", path, text: `messages.${index}: role 'system' must ${misplaced}` });
    }
    return verdicts;
  });
}

const useParameter = "use the top-level 'system' parameter for the initial system prompt";

/** The violated rule of a system message. Consecutive ones are allowed only if they contain more than text. */
function misplacement(messages: readonly unknown[], roles: readonly unknown[], index: number): string | undefined {
  let before = index - 1;
  while (roles[before] === "system") before -= 1;
  let after = index + 1;
  while (roles[after] === "system") after += 1;
  const isRepeated = before < index - 1 && onlySays(messages[index - 1]) && onlySays(messages[index]);
  const follows = roles[before] === "user" || endsWithServerResult(messages[before]);
  if (isRepeated || !follows) return "follow a 'user' message or an 'assistant' message ending in a server tool result";
  const precedes = after === roles.length || roles[after] === "assistant";
  return precedes ? undefined : "precede an 'assistant' message or end the array";
}

function onlySays(raw: unknown): boolean {
  const message = recordOf(raw);
  const isSaid = Object.keys(message).every((key) => key === "role" || key === "content");
  return isSaid && blocksOf(message, "").every(({ block }) => block["type"] === "text");
}

function endsWithServerResult(raw: unknown): boolean {
  const message = recordOf(raw);
  const last = blocksOf(message, "").at(-1);
  return message["role"] === "assistant" && last !== undefined && isServerResult(last.block);
}
