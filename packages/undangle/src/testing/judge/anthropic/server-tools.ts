import { isServerResult, messageOf, placeOf, wrongText, type Turn } from "./turns.ts";
import { isText, shown } from "../loose.ts";
import type { Verdict } from "../verdict.ts";

/** The rules for tools that run on Anthropic's servers: their ids, and both blocks of the pair. */
export function judgeServerTools(turns: readonly Turn[]): Verdict[] {
  const verdicts: Verdict[] = [];
  for (const [index, turn] of turns.entries()) {
    for (const [position, { block, path }] of turn.blocks.entries()) {
      if (block["type"] === "server_tool_use") {
        const id = block["id"];
        if (!isText(id) || !/^srvtoolu_[a-zA-Z0-9_]+$/.test(id)) {
          const text = `${placeOf(path)}.server_tool_use.id: ${isText(id) ? "String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'" : wrongText(id)}`;
          verdicts.push({ id: "ANT-SRV-ID", path, text });
        }
        if (!isAnswered(turns, index, position)) {
          const name = shown(block["name"]);
          const text = `${messageOf(path)}: \`${name}\` tool use with id \`${shown(id)}\` was found without a corresponding \`${name}_tool_result\` block`;
          verdicts.push({ id: "ANT-SRV-UNPAIRED", path, text });
        }
      } else if (isServerResult(block) && !isAsked(turns, index, position)) {
        const type = shown(block["type"]);
        const text = `${placeOf(path)}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${shown(block["tool_use_id"])}. Each \`${type}\` block must have a corresponding \`server_tool_use\` block before it.`;
        verdicts.push({ id: "ANT-SRV-ORPHAN", path, text });
      }
    }
  }
  return verdicts;
}

function has(turn: Turn | undefined, type: string): boolean {
  return turn?.blocks.some(({ block }) => block["type"] === type) ?? false;
}

/** True if the call has its result, or may still wait for it: at the end, or while client tools run. */
function isAnswered(turns: readonly Turn[], index: number, position: number): boolean {
  const turn = turns[index];
  const id = turn?.blocks[position]?.block["id"];
  const answersIn = (later: Turn | undefined, from: number): boolean =>
    later?.blocks.slice(from).some(({ block }) => isServerResult(block) && block["tool_use_id"] === id) ?? false;

  if (answersIn(turn, position)) return true;
  if (index === turns.length - 1) return true;
  for (let at = index; has(turns[at], "tool_use"); at += 2) {
    const results = turns[at + 1];
    if (results?.blocks.some(({ block }) => block["type"] !== "tool_result")) return false;
    if (turns[at + 2] === undefined || answersIn(turns[at + 2], 0)) return true;
  }
  return false;
}

/** True if the call precedes its result: in the same turn, or in an earlier step of the same tool loop. */
function isAsked(turns: readonly Turn[], index: number, position: number): boolean {
  const id = turns[index]?.blocks[position]?.block["tool_use_id"];
  const asksIn = (earlier: Turn | undefined, until?: number): boolean =>
    earlier?.blocks.slice(0, until).some(({ block }) => block["type"] === "server_tool_use" && block["id"] === id) ??
    false;

  if (asksIn(turns[index], position)) return true;
  for (let at = index; at >= 2 && has(turns[at - 1], "tool_result"); at -= 2) {
    if (asksIn(turns[at - 2])) return true;
  }
  return false;
}
