import type { Block, Turn } from "./turns.ts";
import { isText } from "../loose.ts";
import type { Verdict } from "../verdict.ts";

/** The rules about which tool_result answers which tool_use, and about the order of blocks inside a turn. */
export function judgeAnthropicPairing(turns: readonly Turn[]): Verdict[] {
  return [
    ...judgeUniqueIds(turns),
    ...turns.flatMap((turn) => (turn.role === "assistant" ? judgeTextAfterUse(turn) : judgeResultsFirst(turn))),
    ...judgeAnswers(turns),
  ];
}

/** The blocks of a type, in the turns where that type may stand. */
function usesOf(turn: Turn | undefined): readonly Block[] {
  if (turn?.role !== "assistant") return [];
  return turn.blocks.filter(({ block }) => block["type"] === "tool_use");
}

function resultsOf(turn: Turn | undefined): readonly Block[] {
  if (turn?.role !== "user") return [];
  return turn.blocks.filter(({ block }) => block["type"] === "tool_result");
}

function judgeUniqueIds(turns: readonly Turn[]): Verdict[] {
  const seen = new Set<unknown>();
  return turns.flatMap(usesOf).flatMap(({ block, path }): Verdict[] => {
    const id = block["id"];
    if (!isText(id)) return [];
    if (seen.has(id)) return [{ id: "ANT-DUP-ID", path, text: "`tool_use` ids must be unique" }];
    seen.add(id);
    return [];
  });
}

function judgeTextAfterUse(turn: Turn): Verdict[] {
  const firstUse = turn.blocks.findIndex(({ block }) => block["type"] === "tool_use");
  if (firstUse === -1) return [];
  const texts = turn.blocks.slice(firstUse).filter(({ block }) => block["type"] === "text");
  return texts.map(({ path }) => ({ id: "ANT-TEXT-AFTER-TOOLUSE", path, text: "text after a `tool_use` block" }));
}

function judgeResultsFirst(turn: Turn): Verdict[] {
  const firstOther = turn.blocks.findIndex(({ block }) => block["type"] !== "tool_result");
  if (firstOther === -1) return [];
  const late = turn.blocks.slice(firstOther).filter(({ block }) => block["type"] === "tool_result");
  return late.map(({ path }) => ({ id: "ANT-RESULT-NOT-FIRST", path, text: "`tool_result` behind another block" }));
}

interface Stray {
  readonly id: string;
  readonly turn: number;
  readonly path: string;
}

function judgeAnswers(turns: readonly Turn[]): Verdict[] {
  const verdicts: Verdict[] = [];
  const unanswered: Stray[] = [];
  const orphans: Stray[] = [];
  for (const [index, turn] of turns.entries()) {
    const answers = new Set(resultsOf(turns[index + 1]).map(({ block }) => block["tool_use_id"]));
    for (const { block, path } of usesOf(turn)) {
      if (isText(block["id"]) && !answers.has(block["id"])) unanswered.push({ id: block["id"], turn: index, path });
    }
    const asked = new Set(index === 0 ? [] : usesOf(turns[index - 1]).map(({ block }) => block["id"]));
    const answered = new Set<unknown>();
    for (const { block, path } of resultsOf(turn)) {
      const id = block["tool_use_id"];
      if (!isText(id)) continue;
      if (!asked.has(id)) orphans.push({ id, turn: index, path });
      if (answered.has(id)) {
        const text = `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
        verdicts.push({ id: "ANT-DUP-RESULT", path, text });
      }
      answered.add(id);
    }
  }
  for (const use of unanswered) {
    const text = `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${use.id}`;
    verdicts.push({ id: "ANT-UNANSWERED", path: use.path, text });
  }
  for (const orphan of orphans) {
    const text = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan.id}`;
    verdicts.push({ id: "ANT-ORPHAN", path: orphan.path, text });
    const sameId = unanswered.filter((use) => use.id === orphan.id);
    if (sameId.some((use) => use.turn < orphan.turn)) {
      verdicts.push({ id: "ANT-NOT-ADJACENT", path: orphan.path, text: `${orphan.id} is answered in a later turn` });
    } else if (sameId.length > 0) {
      verdicts.push({ id: "ANT-RESULT-BEFORE-CALL", path: orphan.path, text: `${orphan.id} precedes its call` });
    }
  }
  return verdicts;
}
