import { Badge } from "../../parts/badge.tsx";
import { ExactText } from "../../parts/exact-text.tsx";
import { FoldedText, JsonText } from "../../parts/folded-text.tsx";
import { useTexts } from "../../texts/language.tsx";
import { doctorTexts } from "../../texts/doctor-texts.ts";
import { preventions } from "../prevention.ts";
import type { StreamReport, TurnView } from "../work/examination.ts";
import { PreventionPanel } from "./prevention-panel.tsx";
import { Verdict } from "./verdict.tsx";

/** A captured stream: what was assembled from it, its calls and its anomalies. */
export function StreamView({ report: { format, frames, turns } }: { readonly report: StreamReport }) {
  const { stream } = useTexts(doctorTexts);
  const hasFaults = turns.some(({ complete, anomalies }) => !complete || anomalies.length > 0);
  return (
    <>
      {turns.map((turn, i) => (
        <Turn
          key={i}
          turn={turn}
          facts={`${format} · ${stream.frames(frames)}${turns.length > 1 ? ` · ${stream.turn(i)}` : ""}`}
        />
      ))}
      {hasFaults && format !== "bedrock" && <PreventionPanel prevention={preventions[format]} lead={stream.prevent} />}
    </>
  );
}

function Turn({ turn, facts }: { readonly turn: TurnView; readonly facts: string }) {
  const { stream: texts } = useTexts(doctorTexts);
  const { text, reasoning, calls, finish, complete, error, anomalies } = turn;
  const unready = calls.filter(({ state }) => state !== "ready").length;
  const title = complete ? (unready === 0 ? texts.complete : texts.notReady(unready)) : texts.incomplete;
  return (
    <>
      <Verdict tone={complete && unready === 0 ? "good" : "bad"} title={title}>
        <p>{texts.finishes[finish ?? "none"]}</p>
        {error !== undefined && (
          <p>
            <ExactText text={texts.fault(error.message)} />
          </p>
        )}
        <p className="mt-1 text-sm text-muted">{facts}</p>
      </Verdict>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <section aria-label={texts.calls} className="flex min-w-0 flex-col gap-3">
          <h2 className="text-lg font-semibold">{texts.calls}</h2>
          {calls.length === 0 && <p className="text-muted">{texts.noCalls}</p>}
          {calls.map(({ id, name, arguments: args, raw, state, idGenerated }, i) => (
            <div key={i} className="rounded-md border border-line bg-surface p-3">
              <p className="mb-2 flex flex-wrap items-center gap-2">
                <span className="font-mono font-medium">
                  <ExactText text={name === "" ? "?" : name} />
                </span>
                <code className="font-mono text-xs break-all text-muted">
                  <ExactText text={id} />
                </code>
                {idGenerated && <Badge>{texts.generated}</Badge>}
                <Badge tone={state === "ready" && complete ? "good" : "bad"}>
                  {state === "ready" && !complete ? texts.notWhole : texts.states[state]}
                </Badge>
              </p>
              {args === null ? <FoldedText text={raw} /> : <JsonText value={args} />}
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
        </section>
        <section aria-label={texts.anomalies(anomalies.length)} className="min-w-0">
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
        </section>
      </div>
    </>
  );
}
