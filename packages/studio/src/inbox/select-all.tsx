import { useEffect, useRef } from "react";

import { inboxTexts } from "../texts/inbox-texts.ts";
import { useTexts } from "../texts/language.tsx";
import { versionOf } from "./inbox-lines.ts";
import type { InboxLine } from "./inbox-lines.ts";

interface SelectAllProps {
  readonly lines: readonly InboxLine[];
  /** The versions of the selected lines. */
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

/** Selects the lines that are shown, or none of them. */
export function SelectAll({ lines, selected, onSelect }: SelectAllProps) {
  const texts = useTexts(inboxTexts);
  const box = useRef<HTMLInputElement>(null);
  const versions = lines.map(versionOf);
  const count = versions.filter((version) => selected.has(version)).length;
  const isAll = count > 0 && count === versions.length;
  const onChange = (): void => {
    const shown = new Set(versions);
    onSelect(isAll ? new Set([...selected].filter((each) => !shown.has(each))) : new Set([...selected, ...shown]));
  };
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = count > 0 && !isAll;
  }, [count, isAll]);
  const isHidden = versions.length < 2; // in its place, so that no line moves
  return (
    <label
      className={`flex min-h-9 w-fit items-center gap-3 text-sm pointer-coarse:min-h-11 ${isHidden ? "invisible" : ""}`}
    >
      <input ref={box} type="checkbox" className="ml-2 size-4 sm:ml-5" checked={isAll} onChange={onChange} />
      {texts.selectAll(versions.length)}
    </label>
  );
}
