import { Plus, X } from "lucide-react";
import { useId, useMemo, useState } from "react";
import type { ReactNode } from "react";

import { Button } from "../parts/button.tsx";
import { ExactText } from "../parts/exact-text.tsx";
import { FoldedText } from "../parts/folded-text.tsx";
import { cardTexts } from "../texts/card-texts.ts";
import { useTexts } from "../texts/language.tsx";
import { isExact, readJson } from "./read-json.ts";
import { fieldsOf, isRecord, resolved } from "./schema-fields.ts";
import type { Field, JsonRecord, JsonSchema } from "./schema-fields.ts";

export const inputLook =
  "w-full min-w-0 rounded-md border border-control bg-surface px-2 py-1 text-[0.9375rem] aria-invalid:border-bad";

/** Fields beyond these are edited as JSON. */
const mostFields = 60;

/** Longer texts are shown, not edited: a browser needs seconds for them. */
const longestText = 20_000;

/** What the fields of a form share. */
export interface Editing {
  readonly root: JsonSchema | undefined;
  /** The places with problems. */
  readonly wrong: ReadonlySet<string>;
  /** Reports the error of a field that holds JSON, or that it is valid again. */
  readonly onBroken: (path: string, fault: string | undefined) => void;
  /** The element that lists the problems. */
  readonly problemsId: string;
}

export interface EditFieldsProps {
  readonly schema: JsonSchema | undefined;
  readonly value: JsonRecord;
  readonly onChange: (value: JsonRecord) => void;
  readonly path?: string;
  readonly editing: Editing;
}

/** The arguments of a call as a form, in the order of the schema. */
export function EditFields({ schema, value, onChange, path = "", editing }: EditFieldsProps) {
  const { root } = editing;
  const fields = useMemo(() => fieldsOf(schema, value, root).slice(0, mostFields), [schema, value, root]);
  return (
    <div className="flex flex-col gap-3">
      {fields.map((field) => (
        <EditField
          key={field.key}
          field={field}
          value={value[field.key]}
          path={path === "" ? field.key : `${path}.${field.key}`}
          editing={editing}
          onChange={(next) => onChange(withKey(value, field.key, next))}
        />
      ))}
    </div>
  );
}

/** The same keys in the same order, so that the comparison shows only what changed. */
function withKey(value: JsonRecord, key: string, next: unknown): JsonRecord {
  const changed = { ...value, [key]: next };
  return next === undefined ? Object.fromEntries(Object.entries(changed).filter(([name]) => name !== key)) : changed;
}

interface EditFieldProps {
  readonly field: Field;
  readonly value: unknown;
  readonly path: string;
  readonly editing: Editing;
  readonly onChange: (value: unknown) => void;
}

function EditField({ field, value, path, editing, onChange }: EditFieldProps) {
  const id = useId();
  const { label, description, isRequired } = field;
  const isBox = isRecord(value) && field.kind === "object";
  const labelled = (
    <>
      <ExactText text={label.slice(0, 200)} />
      {isRequired && <span aria-hidden> *</span>}
    </>
  );
  const note: ReactNode = description !== undefined && (
    <p id={`${id}-note`} className="text-xs text-muted">
      <ExactText text={description.slice(0, 500)} />
    </p>
  );
  if (isBox)
    return (
      <fieldset className="min-w-0 border-l-2 border-line pl-3">
        <legend className="text-sm font-medium">{labelled}</legend>
        {note}
        <EditFields schema={field.schema} value={value} onChange={onChange} path={path} editing={editing} />
      </fieldset>
    );
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <label htmlFor={id} className="text-sm font-medium">
        {labelled}
      </label>
      {note}
      <Input id={id} field={field} value={value} path={path} editing={editing} onChange={onChange} />
    </div>
  );
}

function Input({ id, field, value, path, editing, onChange }: EditFieldProps & { readonly id: string }) {
  const texts = useTexts(cardTexts);
  const isWrong = editing.wrong.has(path);
  const common = {
    id,
    className: inputLook,
    "aria-invalid": isWrong,
    "aria-required": field.isRequired,
    ...(isWrong && { "aria-describedby": editing.problemsId }),
  };
  if (typeof value === "string" && value.length > longestText) return <FoldedText text={value} shown={800} />;
  switch (field.kind) {
    case "choice":
    case "boolean": {
      const choices: readonly unknown[] =
        field.kind === "boolean" ? [true, false] : (field.schema["enum"] as unknown[]); // checked by its kind
      const nameOf = (choice: unknown): string =>
        choice === true
          ? texts.yes
          : choice === false
            ? texts.no
            : typeof choice === "string"
              ? choice
              : JSON.stringify(choice);
      return (
        <select
          {...common}
          value={value === undefined ? "" : JSON.stringify(value)}
          onChange={({ target }) => onChange(target.value === "" ? undefined : JSON.parse(target.value))}
        >
          {(!field.isRequired || value === undefined) && <option value="">{texts.leaveOut}</option>}
          {choices.map((choice, i) => (
            <option key={i} value={JSON.stringify(choice)}>
              {nameOf(choice)}
            </option>
          ))}
        </select>
      );
    }
    case "number":
      return <NumberInput common={common} value={value} onChange={onChange} />;
    case "date":
    case "moment":
    case "text": {
      const text = typeof value === "string" ? value : "";
      const change = (next: string): void => onChange(next === "" && !field.isRequired ? undefined : next);
      return text.length > 80 || text.includes("\n") ? (
        <textarea {...common} rows={5} value={text} onChange={({ target }) => change(target.value)} />
      ) : (
        <input
          {...common}
          type={field.kind === "date" && /^(?:\d{4}-\d\d-\d\d)?$/u.test(text) ? "date" : "text"}
          value={text}
          onChange={({ target }) => change(target.value)}
        />
      );
    }
    case "list":
      return isTextList(field, value, editing.root) ? (
        <TextList common={common} label={field.label} value={value} onChange={onChange} />
      ) : (
        <JsonInput common={common} value={value} path={path} editing={editing} onChange={onChange} />
      );
    case "object":
    case "json":
      return <JsonInput common={common} value={value} path={path} editing={editing} onChange={onChange} />;
  }
}

interface InputProps {
  readonly common: { readonly id: string; readonly className: string };
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** Keeps what the person types. Text that is not a number becomes the value, and the check reports it. */
function NumberInput({ common, value, onChange }: InputProps) {
  const [text, setText] = useState(() => (typeof value === "string" ? value : (JSON.stringify(value) ?? "")));
  const change = (next: string): void => {
    setText(next);
    const written = next.trim();
    const isNumber = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/u.test(written) && isExact(written);
    onChange(written === "" ? undefined : isNumber ? Number(written) : written);
  };
  return (
    <input {...common} inputMode="decimal" type="text" value={text} onChange={({ target }) => change(target.value)} />
  );
}

function JsonInput({
  common,
  value,
  path,
  editing,
  onChange,
}: InputProps & { readonly path: string; readonly editing: Editing }) {
  const texts = useTexts(cardTexts);
  const [text, setText] = useState(() => JSON.stringify(value, null, 2) ?? "");
  if (text.length > longestText) return <FoldedText text={text} shown={800} />;
  const change = (next: string): void => {
    setText(next);
    if (next.trim() === "") {
      editing.onBroken(path, undefined);
      onChange(undefined);
      return;
    }
    const read = readJson(next);
    const [inexact] = "inexact" in read ? read.inexact : [];
    if ("line" in read) editing.onBroken(path, texts.badJson(read.line, read.column));
    else editing.onBroken(path, inexact === undefined ? undefined : texts.badNumber(inexact));
    if ("value" in read) onChange(read.value);
  };
  return (
    <textarea
      {...common}
      className={`${inputLook} font-mono text-sm`}
      rows={Math.min(8, text.split("\n").length + 1)}
      spellCheck={false}
      value={text}
      onChange={({ target }) => change(target.value)}
    />
  );
}

/** True for a short list of texts whose schema permits only texts. */
function isTextList({ schema }: Field, value: unknown, root: JsonSchema | undefined): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length <= 30 &&
    value.every((item) => typeof item === "string" && item.length <= 500) &&
    resolved(schema["items"], root)["type"] === "string"
  );
}

function TextList({
  common,
  label,
  value,
  onChange,
}: InputProps & { readonly label: string; readonly value: readonly string[] }) {
  const texts = useTexts(cardTexts);
  return (
    <div className="flex flex-col gap-1">
      {value.map((item, i) => (
        <div key={i} className="flex gap-1">
          <input
            {...common}
            id={i === 0 ? common.id : `${common.id}-${i}`}
            aria-label={`${label} ${i + 1}`}
            value={item}
            onChange={({ target }) => onChange(value.with(i, target.value))}
          />
          <Button
            look="quiet"
            aria-label={texts.removeItem(label, i + 1)}
            onClick={() => onChange(value.toSpliced(i, 1))}
          >
            <X size={16} aria-hidden />
          </Button>
        </div>
      ))}
      <Button look="quiet" className="self-start" onClick={() => onChange([...value, ""])}>
        <Plus size={16} aria-hidden /> {texts.addItem(label)}
      </Button>
    </div>
  );
}
