import { memo, useMemo, useState } from "react";

import { Button } from "../../parts/controls/button.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { FoldedText, JsonText } from "../../parts/text/folded-text.tsx";
import { cardTexts } from "../../texts/card-texts.ts";
import { useLanguage, useTexts } from "../../texts/language.tsx";
import type { Language } from "../../texts/language.tsx";
import { isRecord } from "../../parts/json-record.ts";
import type { JsonRecord } from "../../parts/json-record.ts";
import { choicesIn, currencyBeside, fieldsOf, ownValue, resolved } from "../edit/schema-fields.ts";
import type { Field, JsonSchema } from "../edit/schema-fields.ts";
import { AuthorText } from "./author-text.tsx";

/** The number of fields that are added at a time. */
const step = 40;

/** Texts up to this length are shown in the line of their label. */
const shortText = 160;

/** Longer descriptions of arguments are folded. */
const shortNote = 160;

/** Lists and objects that are deeper, or with more values in them, are shown as JSON. */
const deepest = 3;
const mostValues = 100;

interface ShownArgumentsProps {
  readonly schema: JsonSchema | undefined;
  /** The whole schema, for references. */
  readonly root?: JsonSchema | undefined;
  readonly value: unknown;
  /** What states that there are none. */
  readonly empty?: string;
  readonly depth?: number;
  /** False for an item of a list whose first item has the descriptions. */
  readonly hasNotes?: boolean;
}

/** Arguments as labels and values, in the order of the schema. */
export const ShownArguments = memo(function ShownArguments(props: ShownArgumentsProps) {
  const { schema, root = schema, value, empty, depth = 0, hasNotes = true } = props;
  const texts = useTexts(cardTexts);
  const language = useLanguage();
  const [count, setCount] = useState(step);
  const given = useMemo(
    () =>
      isRecord(value) ? fieldsOf(schema, value, root).filter(({ key }) => ownValue(value, key) !== undefined) : [],
    [schema, value, root],
  );
  if (!isRecord(value)) return <JsonText value={value} />;
  if (given.length === 0)
    return empty === undefined ? <JsonText value={value} /> : <p className="text-muted">{empty}</p>;
  const rest = given.length - count;
  return (
    <>
      <dl className="grid grid-cols-1 gap-x-4 gap-y-1.5 sm:grid-cols-[minmax(7rem,max-content)_minmax(0,1fr)]">
        {given.slice(0, count).map((field) => (
          <div
            key={field.key}
            className={`min-w-0 gap-x-3 sm:col-span-2 sm:grid sm:grid-cols-subgrid ${isBrief(ownValue(value, field.key)) ? "grid grid-cols-[minmax(5rem,30%)_minmax(0,1fr)]" : ""}`}
          >
            <dt className="py-px text-sm text-muted sm:max-w-56">
              <span className="break-words">
                <ExactText text={field.label.slice(0, 200)} />
              </span>
            </dt>
            <dd className="min-w-0 break-words">
              <ShownValue field={field} holder={value} root={root} depth={depth} hasNotes={hasNotes} />
              {hasNotes && field.description !== undefined && (
                <div className="text-xs text-muted">
                  <AuthorText text={field.description} short={shortNote} />
                </div>
              )}
              {field.isUnknown && <p className="text-xs text-warn">{texts.unknownKey}</p>}
            </dd>
          </div>
        ))}
      </dl>
      {rest > 0 && (
        <Button look="quiet" onClick={() => setCount(count + step)}>
          {texts.showFields(rest.toLocaleString(language))}
        </Button>
      )}
    </>
  );
});

interface ShownValueProps {
  readonly field: Field;
  readonly holder: JsonRecord;
  readonly root: JsonSchema | undefined;
  readonly depth: number;
  readonly hasNotes: boolean;
}

function ShownValue({ field: { key, kind, schema }, holder, root, depth, hasNotes }: ShownValueProps) {
  const texts = useTexts(cardTexts);
  const language = useLanguage();
  const value = ownValue(holder, key);
  const title = choicesIn(schema, root)?.find((choice) => choice.value === value)?.title;
  if (title !== undefined)
    return (
      <>
        <ExactText text={title} />{" "}
        <code className="font-mono text-sm text-muted">
          <ExactText text={JSON.stringify(value)} />
        </code>
      </>
    );
  if (typeof value === "boolean") return value ? texts.yes : texts.no;
  if (typeof value === "number") return <NumberText value={value} currency={currencyBeside(key, holder)} />;
  if (value === null) return <code className="font-mono text-sm">null</code>;
  if (typeof value === "string") {
    if (value.length > shortText || value.includes("\n")) return <FoldedText text={value} shown={800} />;
    const words = kind === "date" || kind === "moment" ? momentText(value, kind, language) : undefined;
    return (
      <>
        {value === "" ? <code className="font-mono text-sm">""</code> : <ExactText text={value} />}
        {words !== undefined && <span className="text-sm text-muted"> ({words})</span>}
      </>
    );
  }
  if (Array.isArray(value) && value.length <= step && value.every(isShort))
    return (
      <ul className="flex flex-wrap gap-1">
        {value.map((item, i) => (
          <li key={i} className="rounded bg-raised px-1.5">
            <ExactText text={String(item)} />
          </li>
        ))}
      </ul>
    );
  if (depth === deepest || valuesIn(value) > mostValues) return <JsonText value={value} shown={800} />;
  if (Array.isArray(value) && value.length > 0 && value.every(isRecord))
    return (
      <ol className="flex flex-col gap-2">
        {value.map((item: JsonRecord, i) => (
          <li key={i} className="border-l-2 border-line pl-3">
            <ShownArguments
              schema={resolved(schema["items"], root)}
              root={root}
              value={item}
              depth={depth + 1}
              hasNotes={hasNotes && i === 0}
            />
          </li>
        ))}
      </ol>
    );
  if (isRecord(value))
    return (
      <div className="border-l-2 border-line pl-3">
        <ShownArguments schema={schema} root={root} value={value} depth={depth + 1} hasNotes={hasNotes} />
      </div>
    );
  return <JsonText value={value} shown={800} />;
}

/** How many values a list or an object holds in all, or more than `mostValues`. */
function valuesIn(value: unknown): number {
  const waiting: unknown[] = [value];
  let count = 0;
  for (let next = waiting.pop(); next !== undefined && count <= mostValues; next = waiting.pop()) {
    count += 1;
    if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) waiting.push(inner);
  }
  return count;
}

/** Short values are beside their labels on a phone as well, so that more of them can be seen with the buttons. */
const isBrief = (value: unknown): boolean =>
  typeof value === "string" ? value.length <= 60 && !value.includes("\n") : typeof value !== "object" || value === null;

const isShort = (item: unknown): item is string | number | boolean =>
  typeof item === "string" ? item.length <= 80 : typeof item === "number" || typeof item === "boolean";

/** A number with separators and all of its digits, and its currency. */
function NumberText({ value, currency }: { readonly value: number; readonly currency: string | undefined }) {
  const language = useLanguage();
  const isTiny = value !== 0 && Math.abs(value) < 1e-6; // a format would cut its digits off
  const isPlain = isTiny || (Number.isInteger(value) && Math.abs(value) < 10_000); // a year or an id needs no separator
  const text =
    currency !== undefined && !isTiny
      ? new Intl.NumberFormat(language, {
          style: "currency",
          currency,
          currencyDisplay: "code",
          maximumFractionDigits: 20,
        }).format(value)
      : isPlain
        ? String(value)
        : new Intl.NumberFormat(language, { maximumFractionDigits: 20 }).format(value);
  return (
    <span className="tabular-nums" title={String(value)}>
      {text}
    </span>
  );
}

/** A date in words, beside its exact text. Undefined if it is not a date. */
function momentText(value: string, kind: "date" | "moment", language: Language): string | undefined {
  const isDay = /^\d{4}-\d\d-\d\d$/u.test(value);
  const time = isDay || kind === "moment" ? Date.parse(value) : NaN;
  if (Number.isNaN(time)) return undefined;
  return new Intl.DateTimeFormat(language, {
    dateStyle: "full",
    ...(isDay ? { timeZone: "UTC" } : { timeStyle: "long" }),
  }).format(time);
}
