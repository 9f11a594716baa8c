import { messageOf, placeOf, type Block, type Turn } from "./turns.ts";
import { isText, shown } from "../loose.ts";
import type { Verdict } from "../verdict.ts";

/** The pairing rules of tool_result and tool_use, and the order of blocks in a turn. */
export function judgeAnthropicPairing(turns: readonly Turn[]): Verdict[] {
  return [
    ...judgeUniqueIds(turns),
    ...turns.flatMap((turn, index) =>
      turn.role === "assistant" ? judgeTextAfterUse(turn) : judgeResultsFirst(turn, turns[index - 1]),
    ),
    ...judgeAnswers(turns),
  ];
}

/** The blocks of a type, in the turns that allow it. */
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
    const text = `${placeOf(path)}: \`tool_use\` ids must be unique`;
    if (seen.has(id)) return [{ id: "ANT-DUP-ID", path, text }];
    seen.add(id);
    return [];
  });
}

function judgeTextAfterUse(turn: Turn): Verdict[] {
  const firstUse = turn.blocks.findIndex(({ block }) => block["type"] === "tool_use");
  if (firstUse === -1) return [];
  const texts = turn.blocks.slice(firstUse).filter(({ block }) => block["type"] === "text");
  const text = withoutResults(usesOf(turn).map(calledAt));
  return texts.map(({ path }) => ({ id: "ANT-TEXT-AFTER-TOOLUSE", path, text }));
}

/** The error of the API for calls without results at the start of the next turn. */
function withoutResults(uses: readonly Pick<Stray, "id" | "path">[]): string {
  const ids = uses.map(({ id }) => id);
  return `${messageOf(uses[0]?.path ?? "")}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

const calledAt = ({ block, path }: Block): Pick<Stray, "id" | "path"> => ({ id: shown(block["id"]), path });

function judgeResultsFirst(turn: Turn, before: Turn | undefined): Verdict[] {
  const firstOther = turn.blocks.findIndex(({ block }) => block["type"] !== "tool_result");
  if (firstOther === -1) return [];
  const late = turn.blocks.slice(firstOther).filter(({ block }) => block["type"] === "tool_result");
  const answered = new Set(late.map(({ block }) => block["tool_use_id"]));
  const uses = usesOf(before).filter(({ block }) => answered.has(block["id"]));
  return late.map(({ block, path }) => {
    const text =
      uses.length > 0 ? withoutResults(uses.map(calledAt)) : unexpectedResult(path, shown(block["tool_use_id"]));
    return { id: "ANT-RESULT-NOT-FIRST", path, text };
  });
}

function unexpectedResult(path: string, id: string): string {
  return `${placeOf(path)}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
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
        const text = `${placeOf(path)}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
        verdicts.push({ id: "ANT-DUP-RESULT", path, text });
      }
      answered.add(id);
    }
  }
  for (const use of unanswered) {
    const together = unanswered.filter(({ turn }) => turn === use.turn);
    verdicts.push({ id: "ANT-UNANSWERED", path: use.path, text: withoutResults(together) });
  }
  for (const orphan of orphans) {
    verdicts.push({ id: "ANT-ORPHAN", path: orphan.path, text: unexpectedResult(orphan.path, orphan.id) });
    const sameId = unanswered.filter((use) => use.id === orphan.id);
    if (sameId.some((use) => use.turn < orphan.turn)) {
      verdicts.push({ id: "ANT-NOT-ADJACENT", path: orphan.path, text: `${orphan.id} has its result in a later turn` });
    } else if (sameId.length > 0) {
      verdicts.push({ id: "ANT-RESULT-BEFORE-CALL", path: orphan.path, text: `${orphan.id} precedes its call` });
    }
  }
  return verdicts;
}
