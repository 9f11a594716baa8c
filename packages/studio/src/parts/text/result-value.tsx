import { JsonText } from "./folded-text.tsx";
import { Media } from "./media.tsx";

export interface ResultValueProps {
  readonly value: unknown;
  /** How many characters of each part are shown at first. */
  readonly shown?: number;
}

/** The result of a call: its text, or its parts. */
export function ResultValue({ value, ...rest }: ResultValueProps) {
  if (!Array.isArray(value)) return <JsonText value={value} {...rest} />;
  const parts: readonly unknown[] = value;
  return (
    <div className="flex flex-col gap-1">
      {parts.map((part, i) =>
        isMedia(part) ? <ResultMedia key={i} part={part} /> : <JsonText key={i} value={textIn(part)} {...rest} />,
      )}
    </div>
  );
}

/** What of a result fits in a line. `kinds` are the words for media. */
export const resultLine = (value: unknown, kinds: Readonly<Record<string, string>>): unknown =>
  Array.isArray(value)
    ? value
        .map((part: unknown) => (isMedia(part) ? `[${part.name ?? kinds[part.kind] ?? part.kind}]` : textIn(part)))
        .join(" ")
    : value;

/** Media in a result, as the engine stores it. */
interface MediaPart {
  readonly type: "media";
  readonly kind: string;
  readonly mediaType?: string;
  readonly name?: string;
  readonly source: { readonly type: string; readonly data?: string; readonly url?: string };
}

const isMedia = (part: unknown): part is MediaPart =>
  typeof part === "object" && part !== null && "type" in part && part.type === "media" && "source" in part;

const ResultMedia = ({ part: { kind, mediaType = "", name, source } }: { readonly part: MediaPart }) => (
  <Media
    kind={kind}
    url={source.type === "bytes" ? `data:${mediaType};base64,${source.data}` : source.url}
    name={name}
  />
);

/** The text of a part; another part as it is. */
const textIn = (part: unknown): unknown =>
  typeof part === "object" && part !== null && "text" in part && typeof part.text === "string" ? part.text : part;
