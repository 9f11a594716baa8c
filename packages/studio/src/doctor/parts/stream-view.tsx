import type { ReactNode } from "react";

import { Badge } from "../../parts/badge.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { FoldedText, JsonText } from "../../parts/text/folded-text.tsx";
import { useTexts } from "../../texts/language.tsx";
import { doctorTexts } from "../../texts/doctor-texts.ts";
import { preventionInSdk } from "../prevention.ts";
import type { StreamReport, TurnView } from "../work/examination.ts";
import type { DoctorWorker } from "../work/worker-client.ts";
import { OutputActions } from "./output-actions.tsx";
import { PreventionPanel } from "./prevention-panel.tsx";
import { Verdict } from "./verdict.tsx";

export interface StreamViewProps {
  readonly report: StreamReport;
  /** The name of the file that was read, if it is one. */
  readonly file: string | undefined;
  readonly request: DoctorWorker["request"];
}

/** A captured stream: what was assembled from it, its calls and its anomalies. */
export function StreamView({ report: { format, frames, turns }, file, request }: StreamViewProps) {
  const { stream } = useTexts(doctorTexts);
  const hasFaults = turns.some(({ complete, anomalies }) => !complete || anomalies.length > 0);
  return (
    <>
      {turns.map((turn, i) => (
        <Turn
          key={i}
          id={i === 0 ? "verdict" : `verdict-${i}`}
          name={turns.length > 1 ? stream.turn(i) : undefined}
          turn={turn}
          facts={`${format} · ${stream.frames(frames)}`}
        >
          {i === 0 && <OutputActions request={request} file={file} word="response" />}
        </Turn>
      ))}
      {hasFaults && format !== "bedrock" && (
        <PreventionPanel prevention={preventionInSdk(format)} lead={stream.prevent} />
      )}
    </>
  );
}

interface TurnProps {
  readonly id: string;
  /** The number of the choice, if there are several. */
  readonly name: string | undefined;
  readonly turn: TurnView;
  readonly facts: string;
  readonly children: ReactNode;
}

function Turn({ id, name: choice, turn, facts, children }: TurnProps) {
  const { stream: texts } = useTexts(doctorTexts);
  const { text, reasoning, calls, finish, complete, error, anomalies } = turn;
  const unready = calls.filter(({ state }) => state !== "ready").length;
  const state = complete ? (unready === 0 ? texts.complete : texts.notReady(unready)) : texts.incomplete;
  const title = [choice, state].filter((part) => part !== undefined).join(": ");
  return (
    <>
      <Verdict tone={complete && unready === 0 ? "good" : "bad"} title={title} id={id}>
        <p>{texts.finishes[finish ?? "none"]}</p>
        {error !== undefined && (
          <p>
            <ExactText text={texts.fault(error.message)} />
          </p>
        )}
        <p className="mt-1 text-sm text-muted">{facts}</p>
        {children}
      </Verdict>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-3">
          <h2 className="text-lg font-semibold">{texts.calls}</h2>
          {calls.length === 0 && <p className="text-muted">{texts.noCalls}</p>}
          {calls.map(({ id: callId, name, arguments: args, raw, state: ready, idGenerated }, i) => (
            <div key={i} className="rounded-md border border-line bg-surface p-3">
              <p className="mb-2 flex flex-wrap items-center gap-2">
                <span className="font-mono font-medium">
                  <ExactText text={name === "" ? "?" : name} />
                </span>
                <code className="font-mono text-xs break-all text-muted">
                  <ExactText text={callId} />
                </code>
                {idGenerated && <Badge>{texts.generated}</Badge>}
                <Badge tone={ready === "ready" && complete ? "good" : "bad"}>
                  {ready === "ready" && !complete ? texts.notWhole : texts.states[ready]}
                </Badge>
              </p>
              {args === null ? raw !== "" && <FoldedText text={raw} /> : <JsonText value={args} />}
            </div>
          ))}
          {text !== "" && (
            <div>
              <h2 className="mb-2 text-lg font-semibold">{texts.text}</h2>
              <FoldedText text={text} />
            </div>
          )}
          {reasoning !== "" && (
            <div>
              <h2 className="mb-2 text-lg font-semibold">{texts.reasoning}</h2>
              <FoldedText text={reasoning} />
            </div>
          )}
        </div>
        <div className="min-w-0">
          <h2 className="mb-2 text-lg font-semibold">
            {anomalies.length === 0 ? texts.noAnomalies : texts.anomalies(anomalies.length)}
          </h2>
          <ul className="flex flex-col gap-1.5">
            {anomalies.map(({ kind, text: sentence, frame }, i) => (
              <li key={i} className="rounded-md border border-line bg-surface px-3 py-2 text-sm">
                <Badge tone="warn">{kind}</Badge> <ExactText text={sentence} />{" "}
                {frame !== undefined && <span className="text-muted">{texts.frame(frame)}</span>}
              </li>
            ))}
          </ul>
        </div>
      </div>
    </>
  );
}
