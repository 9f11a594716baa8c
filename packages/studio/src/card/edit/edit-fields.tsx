import { Plus, X } from "lucide-react";
import { useId, useState } from "react";
import type { ReactNode } from "react";

import { Button } from "../../parts/controls/button.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { cardTexts } from "../../texts/card-texts.ts";
import { useTexts } from "../../texts/language.tsx";
import { emptyOf, Input } from "./edit-inputs.tsx";
import type { Editing } from "./edit-inputs.tsx";
import { isRecord } from "../../parts/json-record.ts";
import type { JsonRecord } from "../../parts/json-record.ts";
import { choicesIn, fieldsOf, itemField, memberPath, ownValue } from "./schema-fields.ts";
import type { Field, JsonSchema } from "./schema-fields.ts";

/** Fields beyond these are edited as JSON. */
const mostFields = 60;

/** Longer lists are edited as JSON. */
const mostItems = 30;

/** Values beyond these, and deeper ones, are edited as JSON: a browser needs long for so many inputs. */
const mostValues = 400;
const deepest = 10;

/** True if arguments can be edited as a form. */
export function fitsForm(value: unknown): boolean {
  let left = mostValues;
  const fits = (each: unknown, depth: number): boolean => {
    if (--left < 0) return false;
    if (typeof each !== "object" || each === null) return true;
    if (Array.isArray(each) && each.length > mostItems) return true; // one input
    return depth < deepest && Object.values(each).every((inner, i) => i >= mostFields || fits(inner, depth + 1));
  };
  return fits(value, 0);
}

interface EditFieldsProps {
  readonly schema: JsonSchema | undefined;
  readonly value: JsonRecord;
  readonly onChange: (value: JsonRecord) => void;
  readonly path?: string;
  readonly editing: Editing;
}

/** The arguments of a call as a form, in the order of the schema. */
export function EditFields({ schema, value, onChange, path = "", editing }: EditFieldsProps) {
  const texts = useTexts(cardTexts);
  const [all] = useState(() => fieldsOf(schema, value, editing.root)); // an input stays while a person types in it
  const fields = all.slice(0, mostFields);
  return (
    <div className="flex flex-col gap-3">
      {fields.map((field) => (
        <EditField
          key={field.key}
          field={field}
          value={ownValue(value, field.key)}
          path={memberPath(path, field.key)}
          editing={editing}
          onChange={(next) => onChange(withKey(value, field.key, next))}
        />
      ))}
      {all.length > mostFields && <p className="text-sm text-muted">{texts.moreAsJson(all.length - mostFields)}</p>}
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

function EditField(props: EditFieldProps) {
  const { field, value, editing } = props;
  const [form] = useState(() => formOf(field, value, editing.root));
  if (form === "object") return <ObjectField {...props} />;
  if (form === "list") return <ListField {...props} />;
  return <ScalarField {...props} />;
}

/** Lists and objects whose parts are unknown, or too many, are edited as JSON. */
function formOf(field: Field, value: unknown, root: JsonSchema | undefined): "object" | "list" | "input" {
  const isEmpty = value === undefined || value === null;
  if (field.kind === "object") return isEmpty || isRecord(value) ? "object" : "input";
  if (field.kind !== "list" || itemField(field, undefined, 0, root) === undefined) return "input";
  const isShort = Array.isArray(value) && value.length <= mostItems;
  return isEmpty || (isShort && value.every((item, i) => itemField(field, item, i, root) !== undefined))
    ? "list"
    : "input";
}

const Label = ({ field: { label, isRequired } }: Pick<EditFieldProps, "field">) => (
  <>
    <ExactText text={label.slice(0, 200)} />
    {isRequired && <span aria-hidden> *</span>}
  </>
);

const Note = ({ field: { description } }: Pick<EditFieldProps, "field">) =>
  description !== undefined && (
    <p className="text-xs text-muted">
      <ExactText text={description.slice(0, 500)} />
    </p>
  );

function ScalarField(props: EditFieldProps) {
  const texts = useTexts(cardTexts);
  const id = useId();
  const { field } = props;
  const isJson = field.kind === "list" || field.kind === "object" || field.kind === "json";
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <label htmlFor={id} className="text-sm font-medium">
        <Label field={field} />
        {isJson && <span className="font-normal text-muted"> ({texts.asJson})</span>}
      </label>
      <Note field={field} />
      <Input id={id} {...props} />
    </div>
  );
}

const Box = ({ field, children }: { readonly field: Field; readonly children: ReactNode }) => (
  <fieldset className="flex min-w-0 flex-col gap-2 border-l-2 border-line pl-3">
    <legend className="text-sm font-medium">
      <Label field={field} />
    </legend>
    <Note field={field} />
    {children}
  </fieldset>
);

function ObjectField({ field, value, path, editing, onChange }: EditFieldProps) {
  const texts = useTexts(cardTexts);
  return (
    <Box field={field}>
      {isRecord(value) ? (
        <>
          <EditFields schema={field.schema} value={value} onChange={onChange} path={path} editing={editing} />
          {(!field.isRequired || field.isNullable) && (
            <Button look="quiet" className="self-start" onClick={() => onChange(emptyOf(field))}>
              <X size={16} aria-hidden /> {texts.leaveOutField(field.label)}
            </Button>
          )}
        </>
      ) : (
        <Button look="quiet" className="self-start" onClick={() => onChange({})}>
          <Plus size={16} aria-hidden /> {texts.addField(field.label)}
        </Button>
      )}
    </Box>
  );
}

/** A list with an input for each item. */
function ListField({ field, value, path, editing, onChange }: EditFieldProps) {
  const texts = useTexts(cardTexts);
  const { label } = field;
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const [keys, setKeys] = useState<readonly number[]>(() => items.map((_, i) => i)); // an input stays with its item
  const [before] = useState(value);
  const add = (): void => {
    setKeys([...keys, Math.max(-1, ...keys) + 1]);
    onChange([...items, newItem(field, items.length, editing.root)]);
  };
  const remove = (at: number): void => {
    setKeys(keys.toSpliced(at, 1));
    onChange(items.length === 1 && !Array.isArray(before) ? before : items.toSpliced(at, 1));
  };
  return (
    <Box field={field}>
      {items.map((item, i) => (
        <Item
          key={keys[i] ?? i}
          list={field}
          at={i}
          value={item}
          path={`${path}[${i}]`}
          editing={editing}
          onChange={(next) => onChange(items.with(i, next ?? null))}
          onRemove={() => remove(i)}
        />
      ))}
      <Button look="quiet" className="self-start" onClick={add}>
        <Plus size={16} aria-hidden /> {texts.addItem(label)}
      </Button>
    </Box>
  );
}

interface ItemProps extends Omit<EditFieldProps, "field"> {
  readonly list: Field;
  readonly at: number;
  readonly onRemove: () => void;
}

function Item({ list, at, value, onRemove, ...rest }: ItemProps) {
  const texts = useTexts(cardTexts);
  const id = useId();
  const { root } = rest.editing;
  const [shown] = useState(() => itemField(list, value, at, root));
  if (shown === undefined) return null;
  const field = { ...shown, label: `${list.label} ${at + 1}` };
  const isBox = field.kind === "object" || field.kind === "list";
  return (
    <div className="flex items-start gap-1">
      <div className="min-w-0 flex-1">
        {isBox ? (
          <EditField field={field} value={value} {...rest} />
        ) : (
          <Input id={id} name={field.label} field={field} value={value} {...rest} />
        )}
      </div>
      <Button look="quiet" aria-label={texts.removeItem(list.label, at + 1)} onClick={onRemove}>
        <X size={16} aria-hidden />
      </Button>
    </div>
  );
}

/** What a new item contains until the person fills it. */
function newItem(list: Field, at: number, root: JsonSchema | undefined): unknown {
  const item = itemField(list, undefined, at, root);
  if (item === undefined) return null;
  switch (item.kind) {
    case "choice":
      return choicesIn(item.schema, root)?.[0]?.value;
    case "boolean":
      return false;
    case "object":
      return {};
    case "list":
      return [];
    case "number":
    case "json":
      return null;
    case "text":
    case "date":
    case "moment":
      return "";
  }
}
