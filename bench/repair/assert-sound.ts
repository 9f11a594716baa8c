import assert from "node:assert/strict";
import { check, repair } from "undangle";
import type { Patcher } from "../contenders/deepagents.ts";
import { pairingFloor } from "../contenders/pairing-floor.ts";
import type { Sample } from "./contenders.ts";
import type { Body } from "./subjects.ts";

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
  assert.equal(pairingFloor[format](output.messages), output.messages, `${name}: the pass by hand agrees`);
  assert.equal(pairingFloor[format](body.messages) === body.messages, lost === 0, `${name}: the pass by hand repairs`);
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
