import { useQuery } from "@tanstack/react-query";
import type { CallView, ShownDecision } from "undangle/client";

import { useKeyName } from "../api/people.ts";
import { isFinal, queries, server } from "../api/server.ts";
import { isSettled } from "../parts/call-states.ts";
import { ExactText } from "../parts/text/exact-text.tsx";
import { FoldedText } from "../parts/text/folded-text.tsx";
import { LineDiff } from "../parts/text/line-diff.tsx";
import { durationText } from "../parts/duration.ts";
import { Time } from "../parts/moment.tsx";
import { ResultValue } from "../parts/text/result-value.tsx";
import { StateBadge } from "../parts/state-badge.tsx";
import { cardTexts } from "../texts/card-texts.ts";
import { useLanguage, useTexts } from "../texts/language.tsx";
import { stateTexts } from "../texts/state-texts.ts";
import { isInTask } from "./contents/card-details.tsx";

/** A call and the number of its turn. */
interface FoundCall {
  readonly call: CallView;
  readonly entry: number;
}

/** A call that no longer waits, read again until it has an outcome. */
export function useOutcome(threadId: string, callId: string, isWanted: boolean): CallView | undefined {
  const queryKey = ["outcome", threadId, callId];
  const { data } = useQuery({
    queryKey,
    queryFn: () => readCall(threadId, callId, queries.getQueryData<FoundCall>(queryKey)?.entry),
    enabled: isWanted,
    staleTime: 0,
    refetchInterval: ({ state: { data: found, error } }) =>
      found === null || isFinal(error) || (found && isSettled(found.call)) ? false : 1_000,
  });
  return data?.call;
}

/**
 * The call with an id such as `call_1/call_3`: the last part is a call of the child thread of the others. `entry` is its
 * turn, if that is known; otherwise it is looked for in the latest ones.
 */
async function readCall(threadId: string, callId: string, entry?: number): Promise<FoundCall | null> {
  const path = callId.split("/");
  const own = path.pop();
  const { data } = await server.threads.entries(threadId, {
    ...(entry === undefined ? { limit: 50 } : { limit: 1, before: entry + 1 }),
    ...(path.length > 0 && { path }),
  });
  const turn = data.findLast(({ calls }) => calls.some(({ id }) => id === own || id === callId));
  const call = turn?.calls.find(({ id }) => id === own || id === callId);
  return turn === undefined || call === undefined ? null : { call, entry: turn.entry };
}

interface CallOutcomeProps {
  readonly call: CallView;
  /** True if the decision was made in this tab. */
  readonly isHere: boolean;
}

/** Who decided a call, when and from where, and what became of it. */
export function CallOutcome({ call, isHere }: CallOutcomeProps) {
  const texts = useTexts(cardTexts);
  const { took } = useTexts(stateTexts);
  const language = useLanguage();
  const { decision, status, startedAt, endedAt, error, result } = call;
  const proposed = decision?.proposed ?? call.proposed;
  const isGiven = status === "succeeded" || status === "responded";
  return (
    <div className="flex flex-col gap-1.5">
      {decision !== undefined && <Decided decision={decision} isHere={isHere} isInTask={isInTask(call)} />}
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <StateBadge call={call} />
        {startedAt !== undefined && endedAt !== undefined && (
          <span className="text-muted">{took(durationText(endedAt - startedAt, language))}</span>
        )}
      </p>
      {status === "lost" && <p className="text-sm">{texts.lost}</p>}
      {status !== "lost" && status !== "rejected" && error !== undefined && <FoldedText text={error} shown={400} />}
      {isGiven && error === undefined && result !== undefined && <ResultValue value={result} shown={400} />}
      {proposed !== undefined && (
        <LineDiff before={writtenCall(proposed)} after={writtenCall(call)} label={texts.editedTo} />
      )}
    </div>
  );
}

interface DecidedProps {
  readonly decision: ShownDecision;
  /** True if it was made in this tab. Undefined does not state from where. */
  readonly isHere?: boolean;
  readonly isInTask: boolean;
}

/** A decision: who made it, when and from where, the reason, and the allowance that it created. */
export function Decided({ decision, isHere, isInTask }: DecidedProps) {
  const texts = useTexts(cardTexts);
  const nameOf = useKeyName();
  const { type, by, at, reason, always } = decision;
  return (
    <>
      <p>
        <ExactText text={texts.decided(type, { by: by && nameOf(by), ...(isHere !== undefined && { isHere }) })} />
        {" · "}
        <Time at={at} />
      </p>
      {reason !== undefined && (
        <p className="text-sm text-ink">
          <ExactText text={texts.withReason(reason)} />
        </p>
      )}
      {always !== undefined && <p className="text-sm text-muted">{texts.withAllowance(always, isInTask)}</p>}
    </>
  );
}

/** A call for a comparison. */
export const writtenCall = ({ name, arguments: args }: Pick<CallView, "name" | "arguments">): string =>
  `${name} ${pretty(args)}`;

/** A value as JSON for a comparison. */
export const pretty = (value: unknown): string => JSON.stringify(value, null, 2) ?? "";
