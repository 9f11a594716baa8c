import type { ThreadNote } from "../projects/project-threads.ts";
import type { Roster } from "../projects/agents/roster.ts";
import type { RunSettings } from "../projects/runs/run-settings.ts";
import { bad } from "./fields.ts";

/** Refuses a tool choice that names an unknown tool. The error of a provider would be unclear. */
export function demandChosenTool(roster: Roster, note: ThreadNote, { toolChoice }: RunSettings): void {
  if (typeof toolChoice !== "object" || roster.mayCall(note, toolChoice.tool)) return;
  throw bad("tool_choice.function.name", "the name of a tool of the request or of the persona", toolChoice.tool);
}
