export interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly text: string }[];
  /** On a phone, the label is shown beside the control. */
  readonly hasLabel?: boolean;
  readonly onChange: (value: Value) => void;
}

/** One of several values, in the browser's own control. */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, value, options, hasLabel = false, onChange } = props;
  const control = (
    <select
      aria-label={label}
      title={label}
      value={value}
      onChange={({ target }) => {
        const found = options.find((option) => option.value === target.value);
        if (found !== undefined) onChange(found.value);
      }}
      className={`min-h-7 min-w-0 truncate rounded-md border border-line bg-surface px-1.5 py-0.5 text-xs text-ink hover:border-control sm:max-w-48 pointer-coarse:min-h-11 ${hasLabel ? "max-sm:flex-1" : ""}`}
    >
      {options.some((option) => option.value === value) ? null : <option value={value}>{value}</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.text}
        </option>
      ))}
    </select>
  );
  if (!hasLabel) return control;
  return (
    <label className="flex min-w-0 items-center gap-2">
      <span aria-hidden className="w-16 flex-none text-sm text-muted sm:hidden">
        {label}
      </span>
      {control}
    </label>
  );
}
