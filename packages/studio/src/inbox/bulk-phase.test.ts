import { expect, test } from "vitest";

import { bulkPhaseAfter } from "./bulk-phase.ts";
import type { BulkAction, BulkFailure, BulkPhase } from "./bulk-phase.ts";

const call = { id: "call_1", name: "pay", arguments: {}, digest: "", decisions: [], always: [] };
const failure: BulkFailure = { call, decision: { type: "reject" }, error: new Error("No."), title: "Bills" };

const after = (...actions: readonly BulkAction[]): BulkPhase =>
  actions.reduce<BulkPhase>(bulkPhaseAfter, { type: "choosing" });

const write: readonly BulkAction[] = [{ type: "write" }, { type: "edit", reason: "late" }];
const send: BulkAction = { type: "send", all: 3 };
const accepted: BulkAction = { type: "decided", count: 2, failures: [] };
const refused: BulkAction = { type: "decided", count: 1, failures: [failure] };
const finish: BulkAction = { type: "finish" };
const report = { all: 3, failures: [failure] };

test.each<readonly [string, readonly BulkAction[], BulkPhase]>([
  ["a reason is written", write, { type: "writing", reason: "late" }],
  ["writing again keeps the reason", [...write, { type: "write" }], { type: "writing", reason: "late" }],
  ["a reason is dropped", [...write, { type: "drop-reason" }], { type: "choosing" }],
  ["without a reason, none is changed", [{ type: "edit", reason: "late" }], { type: "choosing" }],
  [
    "decisions are counted while they are sent",
    [...write, send, accepted, refused],
    { type: "sending", reason: "late", all: 3, done: 3, failures: [failure] },
  ],
  [
    "nothing is written while decisions are sent",
    [send, { type: "write" }, send, { type: "dismiss-report" }],
    { type: "sending", all: 3, done: 0, failures: [] },
  ],
  [
    "a reason is not needed again when all were decided",
    [...write, send, accepted, finish],
    { type: "choosing", report: { all: 3, failures: [] } },
  ],
  ["what was refused keeps its reason", [...write, send, refused, finish], { type: "writing", reason: "late", report }],
  [
    "unless no selected call can be rejected any more",
    [...write, send, { type: "drop-reason" }, refused, finish],
    { type: "choosing", report },
  ],
  [
    "a report stays while a reason is written",
    [send, refused, finish, { type: "write" }],
    { type: "writing", reason: "", report },
  ],
  [
    "a report is dismissed, and what was written stays",
    [...write, send, refused, finish, { type: "dismiss-report" }],
    { type: "writing", reason: "late" },
  ],
  [
    "the next decision replaces the report",
    [send, refused, finish, send],
    { type: "sending", all: 3, done: 0, failures: [] },
  ],
])("%s", (_, actions, phase) => {
  expect(after(...actions)).toStrictEqual(phase);
});
