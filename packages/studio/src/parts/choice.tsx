export interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly text: string }[];
  /** True if the chosen text must not be cut off on narrow screens. */
  readonly isWhole?: boolean;
  readonly onChange: (value: Value) => void;
}

/** One of several values, in the browser's own control. */
export function Choice<Value extends string>({ label, value, options, isWhole = false, onChange }: ChoiceProps<Value>) {
  return (
    <select
      aria-label={label}
      title={label}
      value={value}
      onChange={({ target }) => {
        const found = options.find((option) => option.value === target.value);
        if (found !== undefined) onChange(found.value);
      }}
      className={`min-h-7 min-w-0 sm:max-w-48 truncate ${isWhole ? "" : "max-w-30"} rounded-md border border-line bg-surface px-1.5 py-0.5 text-xs text-ink hover:border-control pointer-coarse:min-h-11`}
    >
      {options.some((option) => option.value === value) ? null : <option value={value}>{value}</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.text}
        </option>
      ))}
    </select>
  );
}
