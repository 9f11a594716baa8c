import { RotateCcw } from "lucide-react";
import { useCallback, useEffect, useId, useMemo, useState } from "react";
import type { ComponentProps } from "react";
import type { PendingCall } from "undangle/client";

import { Button } from "../../parts/controls/button.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { LineDiff } from "../../parts/text/line-diff.tsx";
import { cardTexts } from "../../texts/card-texts.ts";
import type { CardTexts } from "../../texts/card-texts.ts";
import { useTexts } from "../../texts/language.tsx";
import { CallSummary } from "../call-summary.tsx";
import type { Drafting, EditDraft } from "../card-drafts.ts";
import { changeLine } from "./change-line.ts";
import { checkArguments, isEqual, isRefused } from "./check-arguments.ts";
import type { Decision } from "../decide.ts";
import { EditFields, fitsForm } from "./edit-fields.tsx";
import { inputLook } from "../../parts/looks.ts";
import type { BrokenInput } from "./edit-inputs.tsx";
import { GuardedButton } from "../../parts/controls/guarded-button.tsx";
import { Panel, PanelButtons, useConfirm } from "../panel.tsx";
import { readJson } from "./read-json.ts";
import { isRecord } from "../../parts/json-record.ts";
import type { JsonRecord } from "../../parts/json-record.ts";
import { permitsNothing } from "./schema-fields.ts";
import type { JsonSchema } from "./schema-fields.ts";

/** Longer arguments cannot be edited as one text: a browser needs seconds for them. */
const longestJson = 100_000;

const nothing: JsonRecord = {};

export interface PanelProps {
  readonly call: PendingCall;
  readonly onDecide: (decision: Decision) => void;
  readonly onCancel: () => void;
}

interface EditPanelProps extends PanelProps, Drafting {
  /** The tools that can run in place of that of the call. */
  readonly tools: readonly string[];
}

/** True if a person may edit a call, and there is something to edit: an argument, or another tool. */
export function isEditable(
  { name, schema, arguments: value, decisions }: PendingCall,
  tools: readonly string[],
): boolean {
  const isEmpty = isRecord(value) && Object.keys(value).length === 0;
  const hasArguments = !isEmpty || schema === undefined || !permitsNothing(schema);
  return decisions.includes("edit") && (hasArguments || tools.some((tool) => tool !== name));
}

/** Edits the arguments as a form or as JSON, or the tool. */
export function EditPanel(props: EditPanelProps) {
  const [version, setVersion] = useState(0);
  const onStartOver = (): void => {
    props.onDrafts({ edit: undefined });
    setVersion(version + 1); // every input is a new one
  };
  return <EditForm key={version} {...props} onStartOver={onStartOver} />;
}

interface EditFormProps extends EditPanelProps {
  readonly onStartOver: () => void;
}

/** Starts with what the person wrote before. Arguments are checked while the person types. */
function EditForm({ call, tools, drafts, onDrafts, onDecide, onCancel, onStartOver }: EditFormProps) {
  const texts = useTexts(cardTexts);
  const { id } = call;
  const [kept] = useState(drafts.edit);
  const [name, setName] = useState(kept?.name ?? call.name);
  const isOther = name !== call.name;
  const schema = isOther ? undefined : call.schema; // the server checks the arguments of another tool
  const proposed: JsonRecord = isRecord(call.arguments) ? call.arguments : nothing;
  const written = useMemo(() => JSON.stringify(proposed, null, 2), [proposed]);
  const [value, setValue] = useState<JsonRecord>(kept?.value ?? proposed);
  const [text, setText] = useState(() => kept?.text ?? startText(schema, kept?.value ?? proposed)); // undefined: as a form
  const [unread, setUnread] = useState(kept?.unread ?? noneUnread);
  useEffect(() => setUnread(noneUnread), []); // an input that appears later is a new one
  const [broken, setBroken] = useState<Readonly<Record<string, BrokenInput | undefined>>>({}); // by input
  const onBroken = useCallback(
    (input: string, fault: BrokenInput | undefined) => setBroken((before) => ({ ...before, [input]: fault })),
    [],
  );
  const problemsId = useId();
  const confirm = useConfirm(isOther ? unknownTool : call, texts.names.submitEdit(name, id));
  const draft: Draft = useMemo(
    () => (text === undefined ? { value, faults: Object.values(broken) } : readDraft(text, texts)),
    [text, value, broken, texts],
  );
  const found = useMemo(() => checkArguments(schema, draft.value ?? {}), [schema, draft.value]);
  const faults: readonly Shown[] = [
    ...draft.faults.flatMap((fault) => (fault === undefined ? [] : [{ ...fault, isHard: true }])),
    ...(draft.value === undefined ? [] : found).map((problem) => ({
      path: problem.path,
      text: texts.fault(problem.fault),
      isHard: isRefused(problem),
    })),
  ];
  const isChanged = useMemo(
    () => draft.value !== undefined && !isEqual(draft.value, proposed),
    [draft.value, proposed],
  );
  const change = useMemo(
    () => (isChanged && draft.value !== undefined ? changeLine(proposed, draft.value, texts.leaveOut) : undefined),
    [isChanged, draft.value, proposed, texts],
  );
  const isUnread = draft.faults.some((fault) => fault !== undefined);
  const isTouched = isChanged || isOther || isUnread;
  useEffect(() => {
    const edit: EditDraft = { name, value, text, unread: unreadIn(Object.values(broken)) };
    if (isTouched || drafts.edit !== undefined) onDrafts({ edit: isTouched ? edit : undefined });
  }, [isTouched, name, value, text, broken]);
  const isRefusedHere = faults.some(({ isHard }) => isHard);
  const isBlocked = isRefusedHere || !(isChanged || isOther);
  const isLong = written.length > longestJson;
  const isForm = text === undefined;
  const hasViews = schema !== undefined && !isLong && (isForm || fitsForm(draft.value));
  /** Each view shows values. What is written and is no value, such as a rounded number, would be lost in the other one. */
  const isStuck = schema !== undefined && isUnread;
  const stuckId = useId();
  const stuck = isStuck && { disabled: true, "aria-describedby": stuckId };
  const changeView = (toText: boolean): void => {
    if (draft.value === undefined) return;
    setText(toText ? JSON.stringify(draft.value, null, 2) : undefined);
    setValue(draft.value);
  };
  const onTool = (next: string): void => {
    setName(next);
    if (isForm && next !== call.name) changeView(true);
  };
  const startOver = (
    <Button className="self-start" aria-label={texts.names.startOver(call.name, id)} onClick={onStartOver}>
      <RotateCcw size={16} aria-hidden /> {texts.startOver}
    </Button>
  );
  return (
    <Panel call={call} title={texts.editTitle(call.name)} hint={texts.editHint} onCancel={onCancel}>
      {kept !== undefined && (
        <div role="status" className="flex flex-col gap-2 rounded-md bg-accent-soft p-2 text-sm">
          {texts.restored}
          {startOver}
        </div>
      )}
      {hasViews && (
        <div role="group" aria-label={texts.editTitle(call.name)} className="flex gap-1">
          {[false, true].map((toText) => (
            <Button
              key={String(toText)}
              look="quiet"
              aria-pressed={toText !== isForm}
              onClick={() => changeView(toText)}
              {...(toText === isForm && stuck)}
            >
              {toText ? texts.asJson : texts.asForm}
            </Button>
          ))}
        </div>
      )}
      {isStuck && (
        <p id={stuckId} className="text-sm text-warn">
          {texts.stuckInView}
        </p>
      )}
      {isForm ? (
        <EditFields
          schema={schema}
          value={value}
          onChange={setValue}
          editing={{
            root: schema,
            wrong: new Set(faults.map(({ path }) => path)),
            onBroken,
            problemsId,
            unread,
          }}
        />
      ) : (
        <textarea
          aria-label={texts.json(name)}
          aria-invalid={faults.length > 0}
          aria-describedby={problemsId}
          className={`${inputLook} font-mono text-sm`}
          rows={Math.min(16, text.split("\n").length + 1)}
          spellCheck={false}
          readOnly={isLong}
          value={isLong ? text.slice(0, 2_000) : text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      {(isOther || tools.some((tool) => tool !== call.name)) && (
        <ToolChoice
          tools={[...new Set([call.name, ...tools, name])]}
          value={name}
          isOther={isOther}
          onChange={onTool}
          {...(isForm && stuck)}
        />
      )}
      <Problems id={problemsId} faults={faults} />
      {isOther && <LineDiff before={call.name} after={name} label={texts.tool} />}
      {isChanged && draft.value !== undefined && <Changes before={proposed} after={draft.value} />}
      {kept === undefined && isTouched && startOver}
      {!isChanged && !isOther && !isRefusedHere && <p className="text-sm text-muted">{texts.unchanged}</p>}
      <PanelButtons
        call={call}
        summary={<CallSummary call={call} tool={isOther ? `${call.name} → ${name}` : undefined} text={change} />}
        onCancel={onCancel}
      >
        <GuardedButton
          look="main"
          name={texts.names.submitEdit(name, id)}
          confirm={confirm}
          subject={confirm && JSON.stringify([name, draft.value])}
          isBlocked={isBlocked}
          onAct={() =>
            draft.value !== undefined && onDecide({ type: "edit", arguments: draft.value, ...(isOther && { name }) })
          }
        >
          {texts.submitEdit}
        </GuardedButton>
      </PanelButtons>
    </Panel>
  );
}

const noneUnread: EditDraft["unread"] = {};

/** What is written in inputs that cannot be read, by path. */
const unreadIn = (broken: readonly (BrokenInput | undefined)[]): EditDraft["unread"] =>
  Object.fromEntries(broken.flatMap((each) => (each?.written === undefined ? [] : [[each.path, each.written]])));

/** Arguments as JSON if they do not fit into a form. */
const startText = (schema: JsonSchema | undefined, value: JsonRecord): string | undefined =>
  schema === undefined || !fitsForm(value) ? JSON.stringify(value, null, 2) : undefined;

/** Nothing is known about another tool, so that it is treated as destructive. */
const unknownTool = { annotations: { destructive: true } } as const;

interface ToolChoiceProps extends Pick<ComponentProps<"select">, "disabled" | "aria-describedby"> {
  readonly tools: readonly string[];
  readonly value: string;
  readonly isOther: boolean;
  readonly onChange: (tool: string) => void;
}

function ToolChoice({ tools, value, isOther, onChange, ...rest }: ToolChoiceProps) {
  const texts = useTexts(cardTexts);
  const id = useId();
  return (
    <div className="flex flex-col gap-0.5">
      <label htmlFor={id} className="text-sm font-medium">
        {texts.tool}
      </label>
      <select id={id} className={inputLook} value={value} onChange={({ target }) => onChange(target.value)} {...rest}>
        {tools.map((tool) => (
          <option key={tool}>{tool}</option>
        ))}
      </select>
      {isOther && <p className="text-sm text-warn">{texts.otherTool}</p>}
    </div>
  );
}

interface Draft {
  /** Undefined if the text is not an object. */
  readonly value: JsonRecord | undefined;
  readonly faults: readonly (BrokenInput | undefined)[];
}

function readDraft(text: string, texts: CardTexts): Draft {
  const read = readJson(text);
  const faultOf = (fault: string): BrokenInput => ({ path: "", text: fault });
  if ("line" in read) return { value: undefined, faults: [faultOf(texts.badJson(read.line, read.column))] };
  if (!isRecord(read.value)) return { value: undefined, faults: [faultOf(texts.notObject)] };
  return { value: read.value, faults: read.inexact.map((number) => faultOf(texts.badNumber(number))) };
}

interface Shown {
  readonly path: string;
  readonly text: string;
  /** False for a warning. */
  readonly isHard: boolean;
}

const Problems = ({ id, faults }: { readonly id: string; readonly faults: readonly Shown[] }) => (
  <ul id={id} aria-live="polite" className="text-sm empty:hidden">
    {faults.slice(0, 10).map(({ path, text, isHard }, i) => (
      <li key={i} className={isHard ? "text-bad" : "text-warn"}>
        {path !== "" && (
          <>
            <code className="font-mono break-all">
              <ExactText text={path.slice(0, 200)} />
            </code>{" "}
          </>
        )}
        <ExactText text={text} />
      </li>
    ))}
  </ul>
);

/** Only the arguments that differ, because the others can be long. */
function Changes({ before, after }: { readonly before: JsonRecord; readonly after: JsonRecord }) {
  const texts = useTexts(cardTexts);
  const [one, other] = useMemo(() => {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const changed = keys.filter((key) => !isEqual(before[key], after[key]));
    const linesOf = (value: JsonRecord): string =>
      changed
        .filter((key) => Object.hasOwn(value, key))
        .map((key) => `${JSON.stringify(key)}: ${JSON.stringify(value[key], null, 2)}\n`)
        .join("");
    return [linesOf(before), linesOf(after)] as const;
  }, [before, after]);
  return (
    <section aria-label={texts.changes}>
      <h4 className="mb-1 text-sm font-medium">{texts.changes}</h4>
      <LineDiff before={one} after={other} label={texts.changes} />
    </section>
  );
}
