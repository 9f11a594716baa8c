import { ApiError } from "../../responses/api-error.ts";
import type { ThreadNote } from "../project-threads.ts";
import type { Roster } from "./roster.ts";

/**
 * Refuses to continue a thread whose persona does not exist here. Another persona has other tools, so approved calls
 * would fail.
 */
export function demandPersona({ persona }: ThreadNote, { personas }: Pick<Roster, "personas">): void {
  const ids = personas.map(({ id }) => id);
  if (ids.includes(persona)) return;
  throw new ApiError(
    409,
    "persona-gone",
    `The persona ${JSON.stringify(persona)} of this thread does not exist on this server. PATCH the thread with { "persona": … } to use another persona. Known: ${ids.join(", ")}.`,
    { param: "persona" },
  );
}
