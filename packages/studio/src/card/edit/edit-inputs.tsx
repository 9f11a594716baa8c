import { useEffect, useState } from "react";
import type { KeyboardEvent } from "react";

import { FoldedText } from "../../parts/text/folded-text.tsx";
import { inputLook } from "../../parts/looks.ts";
import { cardTexts } from "../../texts/card-texts.ts";
import { useTexts } from "../../texts/language.tsx";
import { isExact, readJson } from "./read-json.ts";
import { choicesIn } from "./schema-fields.ts";
import type { Choice, Field, JsonSchema } from "./schema-fields.ts";

/** Longer texts are shown, not edited: a browser needs seconds for them. */
const longestText = 20_000;

/** Texts up to this length are edited in one line. */
const longestLine = 80;

/** What the fields of a form share. */
export interface Editing {
  readonly root: JsonSchema | undefined;
  /** The places with problems. */
  readonly wrong: ReadonlySet<string>;
  /** Reports that what is written in an input cannot be read, or that it can again. */
  readonly onBroken: (input: string, fault: BrokenInput | undefined) => void;
  /** The element that lists the problems. */
  readonly problemsId: string;
  /** What was written in inputs that cannot be read, by path, for the inputs that appear with the form. */
  readonly unread: Readonly<Record<string, string>>;
}

export interface BrokenInput {
  readonly path: string;
  readonly text: string;
  /** What is written in the input. A browser does not report it for a date. */
  readonly written?: string;
}

interface InputProps {
  readonly id: string;
  readonly field: Field;
  readonly value: unknown;
  readonly path: string;
  readonly editing: Editing;
  readonly onChange: (value: unknown) => void;
  /** Instead of a visible label. */
  readonly name?: string;
}

/** The input for a value that is neither an object nor a list. It stays the same while a person types in it. */
export function Input(props: InputProps) {
  const { id, field, value, path, editing, name } = props;
  const { onBroken } = editing;
  useEffect(() => () => onBroken(id, undefined), [id, onBroken]); // a removed input has no faults
  const [isFixed] = useState(typeof value === "string" && value.length > longestText);
  const isWrong = editing.wrong.has(path);
  const common = {
    id,
    className: inputLook,
    "aria-label": name,
    "aria-invalid": isWrong,
    "aria-required": field.isRequired,
    ...(isWrong && { "aria-describedby": editing.problemsId }),
  };
  if (isFixed && typeof value === "string") return <FoldedText text={value} shown={800} />;
  switch (field.kind) {
    case "choice":
      return <ChoiceInput {...props} common={common} choices={choicesIn(field.schema, editing.root) ?? []} />;
    case "boolean":
      return <ChoiceInput {...props} common={common} choices={[{ value: true }, { value: false }]} />;
    case "number":
      return <NumberInput {...props} common={common} />;
    case "date":
      return <DateInput {...props} common={common} />;
    case "moment":
    case "text":
      return <TextInput {...props} common={common} />;
    case "list":
    case "object":
    case "json":
      return <JsonInput {...props} common={common} />;
  }
}

/** The value of a field that the person leaves out. */
export const emptyOf = ({ isNullable, isRequired }: Field): null | undefined =>
  isNullable && isRequired ? null : undefined;

interface CommonProps extends InputProps {
  readonly common: { readonly id: string; readonly className: string };
}

function ChoiceInput({
  common,
  field,
  value,
  choices,
  onChange,
}: CommonProps & { readonly choices: readonly Choice[] }) {
  const texts = useTexts(cardTexts);
  const isGiven = value !== undefined && value !== null;
  const written = isGiven ? JSON.stringify(value) : "";
  const isListed = choices.some((choice) => JSON.stringify(choice.value) === written);
  const nameOf = ({ value: choice, title }: Choice): string => {
    if (choice === true) return texts.yes;
    if (choice === false) return texts.no;
    return title ?? (typeof choice === "string" ? choice : JSON.stringify(choice));
  };
  return (
    <select
      {...common}
      value={written}
      onChange={({ target }) => onChange(target.value === "" ? emptyOf(field) : JSON.parse(target.value))}
    >
      {(!field.isRequired || field.isNullable || !isGiven) && <option value="">{texts.leaveOut}</option>}
      {isGiven && !isListed && <option value={written}>{written.slice(0, 100)}</option>}
      {choices.map((choice, i) => (
        <option key={i} value={JSON.stringify(choice.value)}>
          {nameOf(choice)}
        </option>
      ))}
    </select>
  );
}

/** A text, or a value of another type as JSON, so that the form hides nothing. */
const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value);

/** A text. A short one has one line, in which Enter adds no other: Shift and Enter does, and so does pasted text. */
function TextInput({ common, field, value, onChange }: CommonProps) {
  const text = textOf(value);
  const [isLong] = useState(text.length > longestLine);
  const lines = text.split("\n").length;
  const onKeyDown = (event: KeyboardEvent): void => {
    const isSubmit = event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing;
    if (isSubmit && lines === 1 && !isLong) event.preventDefault();
  };
  return (
    <textarea
      {...common}
      className={`${inputLook} block ${lines === 1 && !isLong ? "resize-none" : ""}`}
      rows={Math.min(Math.max(lines, Math.ceil(text.length / longestLine), isLong ? 5 : 1), 12)}
      value={text}
      onKeyDown={onKeyDown}
      onChange={({ target }) =>
        onChange(target.value === "" && (!field.isRequired || field.isNullable) ? emptyOf(field) : target.value)
      }
    />
  );
}

/** A day. One that is not written as a day, as models sometimes do, is edited as text. */
function DateInput(props: CommonProps) {
  const texts = useTexts(cardTexts);
  const { common, field, value, path, editing, onChange } = props;
  const text = textOf(value);
  const [isDay] = useState(/^(?:\d{4}-\d\d-\d\d)?$/u.test(text));
  const [given] = useState(text); // the browser keeps what is typed: a day that is not complete has no value
  if (!isDay) return <TextInput {...props} />;
  const change = ({ value: day, validity }: HTMLInputElement): void => {
    editing.onBroken(common.id, validity.badInput ? { path, text: texts.badDate } : undefined);
    if (!validity.badInput) onChange(day === "" ? emptyOf(field) : day);
  };
  return <input {...common} type="date" defaultValue={given} onChange={({ target }) => change(target)} />;
}

const isNumber = (written: string): boolean => /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/u.test(written);

/** Keeps what the person types. Text that is not a number becomes the value, and the check reports it. */
function NumberInput(props: CommonProps) {
  const { common, field, onChange } = props;
  const texts = useTexts(cardTexts);
  const faultOf = (written: string): string | undefined =>
    isNumber(written) && !isExact(written) ? texts.badNumber(written) : undefined;
  const [text, setText] = useWritten(props, textOf, (next) => faultOf(next.trim()));
  const change = (next: string): void => {
    setText(next);
    const written = next.trim();
    if (faultOf(written) !== undefined) return;
    onChange(written === "" ? emptyOf(field) : isNumber(written) ? Number(written) : written);
  };
  return (
    <input {...common} inputMode="decimal" type="text" value={text} onChange={({ target }) => change(target.value)} />
  );
}

function JsonInput(props: CommonProps) {
  const { common, onChange } = props;
  const texts = useTexts(cardTexts);
  const faultOf = (written: string): string | undefined => {
    const read = readOptional(written);
    if ("line" in read) return texts.badJson(read.line, read.column);
    const [inexact] = read.inexact;
    return inexact === undefined ? undefined : texts.badNumber(inexact);
  };
  const [text, setText] = useWritten(props, (value) => JSON.stringify(value, null, 2) ?? "", faultOf);
  const [isFixed] = useState(text.length > longestText);
  if (isFixed) return <FoldedText text={text} shown={800} />;
  const change = (next: string): void => {
    setText(next);
    const read = readOptional(next);
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

const readOptional = (written: string): ReturnType<typeof readJson> =>
  written.trim() === "" ? { value: undefined, inexact: [] } : readJson(written);

/** The text of an input whose value is not a text. What cannot be read is reported with the place of the input. */
function useWritten(
  { id, value, path, editing: { unread, onBroken } }: InputProps,
  writtenOf: (value: unknown) => string,
  faultOf: (written: string) => string | undefined,
) {
  const [written, setWritten] = useState(() => unread[path] ?? writtenOf(value));
  const fault = faultOf(written);
  useEffect(
    () => onBroken(id, fault === undefined ? undefined : { path, text: fault, written }),
    [id, onBroken, path, fault, written],
  );
  return [written, setWritten] as const;
}
