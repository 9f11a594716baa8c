import { isRecord, isText, listOf, recordOf, type Loose } from "../../../src/testing/judge/loose.ts";
import type { Verdict } from "../../../src/testing/judge/verdict.ts";
import { judgeInput } from "./input.ts";

/** What `generateText`, or any model behind it, refuses of calls and results in model messages. */
export function judgeModelMessages(messages: readonly unknown[]): Verdict[] {
  const verdicts: Verdict[] = [];
  const unanswered: Place[] = [];
  const strays: Place[] = [];
  const approvals = readApprovals(messages);
  let block: Block | undefined;

  const close = (isEnd: boolean): void => {
    for (const call of block?.calls ?? []) {
      const isWaiting = isEnd && approvals.decided.has(call.id);
      if (block?.answered.has(call.id) !== true && !isWaiting) unanswered.push(call);
    }
    block = undefined;
  };

  for (const [index, raw] of messages.entries()) {
    const { role, content } = recordOf(raw);
    if (role === "tool" && Array.isArray(content)) {
      for (const [part, path] of resultsIn(content, index)) {
        const id = part["toolCallId"];
        if (approvals.providerCalls.has(id) && !approvals.clientCalls.has(id)) continue;
        judgeResult(part, path, { index, block, verdicts, strays });
      }
      continue;
    }
    if (role !== "user" || !isOnlyResults(content)) close(false);
    if (role === "assistant") block = openBlock(content, index, verdicts);
    for (const [part, path] of role === "user" || role === "assistant" ? resultsIn(listOf(content), index) : []) {
      if (role === "assistant" && approvals.providerCalls.has(part["toolCallId"])) continue;
      verdicts.push({ id: "OAC-INTERLEAVED", path, text: "a tool-result stands outside of a tool message" });
    }
  }
  close(true);
  verdicts.push(...judgeLastApprovals(messages, approvals));
  for (const { id, path } of unanswered) {
    verdicts.push({ id: "OAC-UNANSWERED", path, text: `Tool result is missing for tool call ${id}.` });
  }
  for (const stray of strays) {
    const sameId = unanswered.filter((call) => call.id === stray.id);
    const text = `${stray.id} answers no call of the turn before it`;
    verdicts.push({ id: "OAC-ORPHAN", path: stray.path, text });
    if (sameId.some((call) => call.index < stray.index))
      verdicts.push({ id: "OAC-INTERLEAVED", path: stray.path, text });
    else if (sameId.length > 0) verdicts.push({ id: "OAC-RESULT-BEFORE-CALL", path: stray.path, text });
  }
  return verdicts;
}

interface Place {
  readonly id: string;
  readonly index: number;
  readonly path: string;
}

interface Block {
  readonly calls: readonly (Place & { readonly name: unknown })[];
  readonly answered: Set<string>;
}

function resultsIn(content: readonly unknown[], index: number): [Loose, string][] {
  return content.flatMap((part, at): [Loose, string][] =>
    isRecord(part) && part["type"] === "tool-result" ? [[part, `messages[${index}].content[${at}]`]] : [],
  );
}

function isOnlyResults(content: unknown): boolean {
  const parts = listOf(content);
  return parts.length > 0 && parts.every((part) => recordOf(part)["type"] === "tool-result");
}

function openBlock(content: unknown, index: number, verdicts: Verdict[]): Block {
  const calls: (Place & { readonly name: unknown })[] = [];
  for (const [at, raw] of listOf(content).entries()) {
    const part = recordOf(raw);
    if (part["type"] !== "tool-call" || part["providerExecuted"] === true) continue;
    const path = `messages[${index}].content[${at}]`;
    const { toolCallId: id, toolName: name } = part;
    if (!isText(name)) verdicts.push({ id: "OAC-NAME-MISSING", path, text: "toolName is missing" });
    verdicts.push(...judgeInput(part["input"], `${path}.input`));
    if (!isText(id)) {
      verdicts.push({ id: "OAC-ID-MISSING", path, text: "toolCallId is missing" });
      continue;
    }
    if (calls.some((call) => call.id === id))
      verdicts.push({ id: "OAC-DUP-CALL-ID", path, text: `${id} stands twice` });
    calls.push({ id, index, path, name });
  }
  return { calls, answered: new Set() };
}

interface Scene {
  readonly index: number;
  readonly block: Block | undefined;
  readonly verdicts: Verdict[];
  readonly strays: Place[];
}

function judgeResult(part: Loose, path: string, { index, block, verdicts, strays }: Scene): void {
  const { toolCallId: id, toolName: name } = part;
  if (!isText(name)) verdicts.push({ id: "OAC-NAME-MISSING", path, text: "toolName is missing" });
  if (!isText(id)) {
    verdicts.push({ id: "OAC-RESULT-ID-MISSING", path, text: "toolCallId is missing" });
    return;
  }
  const call = block?.calls.find((each) => each.id === id);
  if (block === undefined || call === undefined) strays.push({ id, index, path });
  else if (block.answered.has(id)) verdicts.push({ id: "OAC-DUP-RESULT", path, text: `${id} is answered twice` });
  else {
    block.answered.add(id);
    if (isText(name) && isText(call.name) && name !== call.name) {
      verdicts.push({ id: "OAC-NAME-MISSING", path, text: `the result is of ${name}, its call of ${call.name}` });
    }
  }
}

interface Approvals {
  /** The id of the call that each request is about. */
  readonly requests: ReadonlyMap<unknown, unknown>;
  readonly clientCalls: ReadonlySet<unknown>;
  readonly providerCalls: ReadonlySet<unknown>;
  /** The calls that the SDK will settle by itself: the last message decides on them. */
  readonly decided: ReadonlySet<unknown>;
}

function readApprovals(messages: readonly unknown[]): Approvals {
  const parts = messages
    .map(recordOf)
    .filter(({ role }) => role === "assistant")
    .flatMap(({ content }) => listOf(content).map(recordOf));
  const requests = new Map(
    parts
      .filter(({ type }) => type === "tool-approval-request")
      .map((part) => [part["approvalId"], part["toolCallId"]]),
  );
  const calls = parts.filter(({ type, toolCallId }) => type === "tool-call" && isText(toolCallId));
  const decided = responsesIn(messages.at(-1)).map((part) => requests.get(part["approvalId"]));
  return {
    requests,
    clientCalls: new Set(calls.filter((call) => call["providerExecuted"] !== true).map((call) => call["toolCallId"])),
    providerCalls: new Set(calls.filter((call) => call["providerExecuted"] === true).map((call) => call["toolCallId"])),
    decided: new Set(decided),
  };
}

function responsesIn(message: unknown): Loose[] {
  const { role, content } = recordOf(message);
  if (role !== "tool") return [];
  return listOf(content)
    .map(recordOf)
    .filter(({ type }) => type === "tool-approval-response");
}

/** An answer in the last message is acted upon: it needs its request and its call, and runs a call that was answered before again. */
function judgeLastApprovals(
  messages: readonly unknown[],
  { requests, clientCalls, providerCalls }: Approvals,
): Verdict[] {
  const last = messages.length - 1;
  const path = `messages[${last}]`;
  const here = new Set(
    resultsIn(listOf(recordOf(messages[last])["content"]), last).map(([part]) => part["toolCallId"]),
  );
  let turn = last;
  while (turn > 0 && recordOf(messages[turn])["role"] === "tool") turn -= 1;
  const block = messages.slice(turn, last).flatMap((message) => listOf(recordOf(message)["content"]).map(recordOf));
  return responsesIn(messages[last]).flatMap((part): Verdict[] => {
    const id = requests.get(part["approvalId"]);
    if (providerCalls.has(id)) return [];
    if (!clientCalls.has(id)) return [{ id: "OAC-ORPHAN", path, text: "an approval that nobody asked for" }];
    const isMine = block.some(({ type, toolCallId }) => type === "tool-call" && toolCallId === id);
    if (!isMine) return [{ id: "OAC-ORPHAN", path, text: "an approval without a call in this turn" }];
    const isEarlier = block.some(({ type, toolCallId }) => type === "tool-result" && toolCallId === id);
    return isEarlier && !here.has(id)
      ? [{ id: "OAC-INTERLEAVED", path, text: "an approved call would be run again" }]
      : [];
  });
}
