import type { CallView } from "undangle/client";

import { useTexts } from "../texts/language.tsx";
import { stateTexts } from "../texts/state-texts.ts";
import type { CallPhase } from "../texts/state-texts.ts";
import { Badge } from "./badge.tsx";
import { callTones } from "./call-states.ts";

/** True if a person responded in place of the tool, and marked the response as an error. */
const isErrorOfPerson = ({ status, error }: Pick<CallView, "status" | "error">): boolean =>
  status === "responded" && error !== undefined;

interface StateBadgeProps {
  readonly call: Pick<CallView, "status" | "error">;
  readonly phase?: CallPhase;
}

/** The state of a call in words. */
export function StateBadge({ call, phase = call.status }: StateBadgeProps) {
  const { states, respondedError } = useTexts(stateTexts);
  if (isErrorOfPerson(call)) return <Badge tone="bad">{respondedError}</Badge>;
  return <Badge tone={callTones[phase]}>{states[phase]}</Badge>;
}
