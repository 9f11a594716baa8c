import assert from "node:assert/strict";
import { check, repair } from "undangle";
import type { Patcher } from "../contenders/deepagents.ts";
import { pairingFloor } from "../contenders/pairing-floor.ts";
import { type Body, messagesOf } from "../histories/formats.ts";
import type { Sample } from "./contenders.ts";

/** Makes sure that the contenders do what they are measured for: a fast wrong answer is no answer. */
export async function assertSound({ subject, source, text }: Sample, patcher?: Patcher): Promise<void> {
  const { format, name } = subject;
  const body = JSON.parse(text) as Body;
  const lost = source.turns.flatMap(({ calls }) => calls).filter(({ result }) => result === undefined).length;
  const { output, edits, problems } = repair(body, { format });
  assert.equal(edits.length, lost, `${name}: one edit for each call without a result`);
  assert.equal(problems.length, 0, `${name}: nothing is left`);
  assert.equal(output === body, lost === 0, `${name}: the same reference exactly when it is clean`);
  assert.equal(check(output, { format }).length, 0, `${name}: the output is healthy`);
  const floor = pairingFloor[format];
  if (floor !== undefined) {
    const [given, mended] = [messagesOf(body, format), messagesOf(output, format)];
    assert.equal(floor(mended), mended, `${name}: the pass by hand agrees`);
    assert.equal(floor(given) === given, lost === 0, `${name}: the pass by hand repairs`);
  }
  if (subject.rows === "providers") {
    for (const provider of ["mistral", "deepseek", "minimax"]) {
      assert.deepEqual(check(body, { format, provider }), [], `${name}: clean for ${provider}`);
    }
  }
  if (patcher !== undefined) {
    const list = patcher.messagesOf(source);
    assert.equal((await patcher.patch(list)).length, list.length + lost, `${name}: deepagents answers as many calls`);
  }
}
