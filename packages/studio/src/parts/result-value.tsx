import { JsonText } from "./folded-text.tsx";

export interface ResultValueProps {
  readonly value: unknown;
  /** How many characters of each part are shown at first. */
  readonly shown?: number;
}

/** The result of a call: its text, or its parts. Media is named, never loaded. */
export function ResultValue({ value, ...rest }: ResultValueProps) {
  if (!Array.isArray(value)) return <JsonText value={value} {...rest} />;
  const parts: readonly unknown[] = value;
  return (
    <div className="flex flex-col gap-1">
      {parts.map((part, i) => (
        <JsonText key={i} value={textIn(part) ?? part} {...rest} />
      ))}
    </div>
  );
}

const textIn = (part: unknown): string | undefined =>
  typeof part === "object" && part !== null && "text" in part && typeof part.text === "string" ? part.text : undefined;
