import { memoryFiles } from "#files";
import type { FileBackend } from "#files";
import { expect, test } from "vitest";

import { onFiles } from "./file-stage.ts";
import type { Called } from "./file-stage.ts";

const files = { "/f": "a\nb\nc\n", "/bytes": new Uint8Array([0xff]) };

test.each<[string, Called, unknown]>([
  [
    "the diff of an edit",
    ["edit_file", { file_path: "f", old_string: "b", new_string: "x" }],
    { type: "diff", path: "/f", text: "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c" },
  ],
  [
    "the diff of a replaced file",
    ["write_file", { file_path: "/f", content: "a\n" }],
    { type: "diff", path: "/f", text: "@@ -1,3 +1,1 @@\n a\n-b\n-c" },
  ],
  [
    "a new file",
    ["write_file", { path: "/g", content: "a\n" }],
    { type: "diff", path: "/g", text: "@@ -0,0 +1,1 @@\n+a" },
  ],
  [
    "nothing of an edit that will fail",
    ["edit_file", { file_path: "/f", old_string: "z", new_string: "x" }],
    undefined,
  ],
  ["nothing of a path that cannot be used", ["write_file", { file_path: "/../f", content: "" }], undefined],
  ["nothing of a file that is not text", ["write_file", { file_path: "/bytes", content: "" }], undefined],
  ["a command", ["execute", { command: "rm -r /" }], { type: "command", command: "rm -r /" }],
])("a person sees %s", async (_, call, rendered) => {
  const backend: FileBackend = {
    ...memoryFiles(files),
    execute: async () => ({ output: new Uint8Array(), omitted: 0, exitCode: 0 }),
  };
  const { end, events } = await onFiles({ backend, turns: [[call]], agent: { approvals: [{ tools: "*" }] } });
  expect(end.pending[0]?.render).toEqual(rendered);
  expect(events.some(({ type }) => type === "warning")).toBe(false);
});

test("the annotations of the tools are on their pending calls", async () => {
  const turns = [[["ls"], ["write_file", { file_path: "/f", content: "" }], ["delete", { file_path: "/f" }]]] as const;
  const { end } = await onFiles({ files, turns, agent: { approvals: [{ tools: "*" }] } });
  expect(end.pending.map(({ annotations }) => annotations)).toEqual([
    { readOnly: true },
    { edits: true },
    { destructive: true },
  ]);
});
