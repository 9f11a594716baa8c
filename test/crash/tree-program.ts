/** A process with an agent that delegates tasks, and is to die: `tree-program TASK`, where the task is JSON. */
import { writeSync } from "node:fs";

import { writeLine } from "./diary.ts";
import { converseInTree } from "./tree-conversation.ts";
import type { TreeConversation } from "./tree-conversation.ts";

export interface TreeTask extends Pick<TreeConversation, "path" | "diary" | "isEager"> {
  /** The number of the place at which it dies. */
  readonly diesAt: number;
}

const { diesAt, ...task } = JSON.parse(process.argv[2] ?? "") as TreeTask; // written by the process that started this one
let places = 0;
writeSync(1, "ready\n");
await converseInTree({
  ...task,
  visit(point) {
    if (++places !== diesAt) return;
    writeLine(task.diary, { type: "failpoint", point });
    process.kill(process.pid, "SIGKILL");
    for (;;); // a signal to oneself is there before the next line, but only almost always
  },
});
