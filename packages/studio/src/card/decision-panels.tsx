import { useId, useRef, useState } from "react";
import type { FormEvent, KeyboardEvent } from "react";

import { useSession } from "../api/session.ts";
import { ExactText } from "../parts/text/exact-text.tsx";
import { changePreferences, usePreferences } from "../shell/preferences.ts";
import { cardTexts } from "../texts/card-texts.ts";
import type { Coverage } from "../texts/card-texts.ts";
import { useTexts } from "../texts/language.tsx";
import type { Drafting } from "./card-drafts.ts";
import { isInTask, requestersOf } from "./contents/card-details.tsx";
import type { PanelProps } from "./edit/edit-panel.tsx";
import { inputLook } from "../parts/looks.ts";
import { GuardedButton } from "../parts/controls/guarded-button.tsx";
import { Panel, PanelButtons, useConfirm } from "./panel.tsx";

const keptReasons = 3;

/** Longer reasons are about one call, and would take the place of the other settings of the browser. */
const longestReason = 500;

/** A rejection with a reason for the model. Earlier reasons are offered. */
export function RejectPanel({ call, onDecide, onCancel, drafts: { reason }, onDrafts }: PanelProps & Drafting) {
  const texts = useTexts(cardTexts);
  const { name, id } = call;
  const setReason = (next: string): void => onDrafts({ reason: next });
  const { reasons: kept, keep } = useKeptReasons();
  const [reasons] = useState(kept); // the reason that is being sent would push the buttons away
  const inputId = useId();
  const button = useRef<HTMLButtonElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const reject = (): void => {
    const given = reason.trim();
    if (given !== "") keep(given);
    onDecide({ type: "reject", ...(given !== "" && { reason: given }) });
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    button.current?.click();
  };
  return (
    <Panel call={call} title={texts.rejectTitle(name)} onCancel={onCancel}>
      <form className="flex flex-col gap-2" onSubmit={onSubmit} onKeyDown={refuseHeldEnter}>
        <label htmlFor={inputId} className="text-sm">
          <span className="font-medium">{texts.reason}</span> <span className="text-muted">{texts.reasonHint}</span>
        </label>
        <input
          id={inputId}
          ref={input}
          className={inputLook}
          autoComplete="off"
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        {reasons.length > 0 && (
          <div role="group" aria-label={texts.earlierReasons} className="flex flex-wrap gap-1.5">
            {reasons.map((each) => (
              <button
                key={each}
                type="button"
                className="min-h-7 max-w-full truncate rounded-full border border-control px-3 text-sm hover:bg-raised pointer-coarse:min-h-11"
                onClick={() => {
                  setReason(each);
                  input.current?.focus();
                }}
              >
                <ExactText text={each} />
              </button>
            ))}
          </div>
        )}
        <PanelButtons call={call} onCancel={onCancel}>
          <GuardedButton ref={button} look="danger" name={texts.names.submitReject(name, id)} onAct={reject}>
            {texts.submitReject}
          </GuardedButton>
        </PanelButtons>
      </form>
    </Panel>
  );
}

/** The last reasons of the person who uses the page. */
function useKeptReasons() {
  const { reasons: kept } = usePreferences();
  const by = useSession().data?.by;
  const reasons = by === undefined || kept?.by !== by ? none : kept.texts;
  const keep = (reason: string): void => {
    if (by === undefined || reason.length > longestReason) return;
    const texts = [reason, ...reasons.filter((each) => each !== reason)].slice(0, keptReasons);
    changePreferences({ reasons: { by, texts } });
  };
  return { reasons, keep };
}

const none: readonly string[] = [];

/** Enter that is still held from before must not submit. */
function refuseHeldEnter(event: KeyboardEvent): void {
  if (event.key === "Enter" && event.repeat) event.preventDefault();
}

/** The person gives the result, and the tool does not run. */
export function RespondPanel({
  call,
  onDecide,
  onCancel,
  drafts: { result, isError },
  onDrafts,
}: PanelProps & Drafting) {
  const texts = useTexts(cardTexts);
  const { name, id } = call;
  const inputId = useId();
  const respond = (): void =>
    onDecide({ type: "respond", result: isError ? { content: [{ type: "text", text: result }], isError } : result });
  return (
    <Panel call={call} title={texts.respondTitle(name)} hint={texts.respondHint} onCancel={onCancel}>
      <label htmlFor={inputId} className="text-sm font-medium">
        {texts.result}
      </label>
      <textarea
        id={inputId}
        className={inputLook}
        rows={4}
        value={result}
        onChange={({ target }) => onDrafts({ result: target.value })}
      />
      <label className="flex min-h-9 items-center gap-2 text-sm">
        <input type="checkbox" checked={isError} onChange={({ target }) => onDrafts({ isError: target.checked })} />
        {texts.asError}
      </label>
      <PanelButtons call={call} onCancel={onCancel}>
        <GuardedButton
          look="main"
          name={texts.names.submitRespond(name, id)}
          isBlocked={result.trim() === ""}
          onAct={respond}
        >
          {texts.submitRespond}
        </GuardedButton>
      </PanelButtons>
    </Panel>
  );
}

/** An approval with an allowance. Each choice states which later calls it permits. */
export function AlwaysPanel({ call, onDecide, onCancel }: PanelProps) {
  const texts = useTexts(cardTexts);
  const { name, id, always } = call;
  const choices = always.flatMap((scope): readonly Coverage[] => [
    { scope, match: "tool" },
    { scope, match: "arguments" },
  ]);
  const [chosen, setChosen] = useState<Coverage>();
  const group = useId();
  const agent = call.agent === undefined ? texts.thisAgent : requestersOf(call).join(" › ");
  const wordsOf = (choice: Coverage): string => texts.coverage(choice, name, { agent, isInTask: isInTask(call) });
  const submitName = `${texts.names.submitAlways(name, id)}${chosen === undefined ? "" : `; ${wordsOf(chosen)}`}`;
  const confirm = useConfirm(call, submitName);
  return (
    <Panel call={call} title={texts.alwaysTitle(name)} hint={texts.alwaysHint} onCancel={onCancel}>
      <fieldset>
        <legend className="sr-only">{texts.alwaysTitle(name)}</legend>
        {choices.map((choice) => (
          <label
            key={`${choice.scope} ${choice.match}`}
            className="flex items-start gap-2 py-1.5 pointer-coarse:py-2.5"
          >
            <input
              type="radio"
              className="mt-1 flex-none"
              name={group}
              checked={choice === chosenOf(choices, chosen)}
              onChange={() => setChosen(choice)}
            />
            <ExactText text={wordsOf(choice)} />
          </label>
        ))}
      </fieldset>
      <PanelButtons call={call} onCancel={onCancel}>
        <GuardedButton
          look="main"
          name={submitName}
          confirm={confirm}
          isBlocked={chosen === undefined}
          onAct={() => chosen !== undefined && onDecide({ type: "approve", always: chosen })}
        >
          {texts.submitAlways}
        </GuardedButton>
      </PanelButtons>
    </Panel>
  );
}

/** The chosen entry of a list that is created again with every render. */
const chosenOf = (choices: readonly Coverage[], chosen: Coverage | undefined): Coverage | undefined =>
  choices.find(({ scope, match }) => scope === chosen?.scope && match === chosen.match);
