import { useMemo, useState } from "react";

import type { Texts } from "../../texts/language.tsx";
import { useLanguage, useTexts } from "../../texts/language.tsx";
import { Button } from "../controls/button.tsx";
import { CopyIcon } from "../controls/copy-button.tsx";
import { ExactText } from "./exact-text.tsx";

interface Words {
  readonly more: (count: string) => string;
  readonly less: string;
  readonly length: (count: string) => string;
  readonly copy: string;
  readonly lines: (count: string) => string;
}

const texts: Texts<Words> = {
  en: {
    more: (count) => `Show ${count} more characters`,
    less: "Show less",
    length: (count) => `${count} characters in total`,
    copy: "Copy this text",
    lines: (count) => `${count} lines: scroll to see all of them`,
  },
  zh: {
    more: (count) => `显示其余 ${count} 个字符`,
    less: "收起",
    length: (count) => `共 ${count} 个字符`,
    copy: "复制这段文本",
    lines: (count) => `共 ${count} 行，请滚动查看全部`,
  },
};

/** More lines than these need scrolling. */
const visibleLines = 23;

/** The number of characters that are added to a long text at a time, so that the page stays responsive. */
const step = 100_000;

export interface FoldedTextProps {
  readonly text: string;
  /** How many characters are shown at first. */
  readonly shown?: number;
}

/** Monospaced text. A long text shows its start, its whole length and a button that shows more. */
export function FoldedText({ text, shown = 2_000 }: FoldedTextProps) {
  const words = useTexts(texts);
  const language = useLanguage();
  const [count, setCount] = useState(shown);
  const rest = text.length - count;
  const part = rest > 0 ? text.slice(0, count) : text;
  const lines = part.split("\n").length;
  return (
    <div className="min-w-0">
      <div className="group/text relative">
        <pre
          className="max-h-96 overflow-auto rounded-md bg-raised p-2 pr-9 pointer-coarse:pr-12 font-mono text-xs break-words whitespace-pre-wrap"
          tabIndex={0}
        >
          <ExactText text={part} />
        </pre>
        <CopyIcon
          text={text}
          label={words.copy}
          className="opacity-0 group-focus-within/text:opacity-100 group-hover/text:opacity-100 pointer-coarse:opacity-100"
        />
      </div>
      {lines > visibleLines && <p className="text-xs text-muted">{words.lines(lines.toLocaleString(language))}</p>}
      {text.length > shown && (
        <p className="text-xs text-muted">{words.length(text.length.toLocaleString(language))}</p>
      )}
      {rest > 0 && (
        <Button look="quiet" className="mt-1" onClick={() => setCount(count + step)}>
          {words.more(rest.toLocaleString(language))}
        </Button>
      )}
      {rest <= 0 && count > shown && (
        <Button look="quiet" className="mt-1" onClick={() => setCount(shown)}>
          {words.less}
        </Button>
      )}
    </div>
  );
}

/** A value as indented JSON. A text is shown as it is. */
export function JsonText({ value, ...rest }: { readonly value: unknown; readonly shown?: number }) {
  const text = useMemo(() => (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")), [value]);
  return <FoldedText text={text} {...rest} />;
}
