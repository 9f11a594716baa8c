import { blocksOf, isServerResult } from "./turns.ts";
import { claudeModel } from "./claude-model.ts";
import { recordOf, shown } from "../loose.ts";
import type { Verdict } from "../verdict.ts";

/** ANT-ROLE and ANT-SYS-PLACE: which roles there are, and where a system message may stand. */
export function judgeSystemMessages(messages: readonly unknown[], model: string): Verdict[] {
  const { takesSystemRole } = claudeModel(model);
  const roles = messages.map((message) => recordOf(message)["role"]);
  return roles.flatMap((role, index): Verdict[] => {
    const path = `messages[${index}].role`;
    if (role === "user" || role === "assistant") return [];
    if (role !== "system") {
      const text = `Unexpected role "${shown(role)}". Allowed roles are "user" or "assistant"`;
      return [{ id: "ANT-ROLE", path, text }];
    }
    if (roles.slice(0, index).every((earlier) => earlier === "system")) {
      return [{ id: "ANT-ROLE", path, text: "use the top-level 'system' parameter for the initial system prompt" }];
    }
    const verdicts: Verdict[] = [];
    if (takesSystemRole === false) {
      verdicts.push({ id: "ANT-ROLE", path, text: "role 'system' is not supported on this model" });
    }
    // On a model of unknown name a badly placed one is refused either way.
    if (!isWellPlaced(messages, roles, index)) {
      const text = "role 'system' must follow a 'user' message and precede an 'assistant' message or end the array";
      verdicts.push({ id: "ANT-SYS-PLACE", path, text });
    }
    return verdicts;
  });
}

/** Of consecutive system messages only those may be several that do more than say something. */
function isWellPlaced(messages: readonly unknown[], roles: readonly unknown[], index: number): boolean {
  let before = index - 1;
  while (roles[before] === "system") before -= 1;
  let after = index + 1;
  while (roles[after] === "system") after += 1;
  const follows = roles[before] === "user" || endsWithServerResult(messages[before]);
  if (before < index - 1 && onlySays(messages[index - 1]) && onlySays(messages[index])) return false;
  return follows && (after === roles.length || roles[after] === "assistant");
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
