import { ChevronLeft, ChevronRight } from "lucide-react";
import type { KeyboardEvent } from "react";

import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { LineDiff } from "../../parts/text/line-diff.tsx";
import { useTexts } from "../../texts/language.tsx";
import { doctorTexts } from "../../texts/doctor-texts.ts";
import { editTexts } from "../../texts/edit-texts.ts";
import { placeOfRule } from "../doctor-place.ts";
import type { EditView } from "../work/examination.ts";

export interface EditStepsProps {
  readonly edits: readonly EditView[];
  readonly current: number;
  readonly onChange: (current: number) => void;
}

/** One edit at a time, with buttons and arrow keys for the others. */
export function EditSteps({ edits, current, onChange }: EditStepsProps) {
  const texts = useTexts(doctorTexts);
  const edit = edits[current];
  if (edit === undefined) return null;
  const go = (next: number): void => {
    if (next >= 0 && next < edits.length) onChange(next);
  };
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === "ArrowLeft") go(current - 1);
    else if (key === "ArrowRight") go(current + 1);
  };
  return (
    <section
      aria-label={texts.edits(edits.length)}
      className="flex flex-col gap-3 rounded-lg border border-accent bg-surface p-4"
    >
      <div
        className="flex items-center gap-2"
        role="group"
        aria-label={texts.edits(edits.length)}
        onKeyDown={onKeyDown}
      >
        <p className="mr-auto font-medium" role="status">
          {texts.edit(current + 1, edits.length)}
        </p>
        <Button onClick={() => go(current - 1)} aria-disabled={current === 0} aria-label={texts.previousEdit}>
          <ChevronLeft size={16} aria-hidden />
        </Button>
        <Button
          onClick={() => go(current + 1)}
          aria-disabled={current === edits.length - 1}
          aria-label={texts.nextEdit}
        >
          <ChevronRight size={16} aria-hidden />
        </Button>
      </div>
      <EditCard edit={edit} />
    </section>
  );
}

function EditCard({ edit }: { readonly edit: EditView }) {
  const texts = useTexts(doctorTexts);
  const words = useTexts(editTexts);
  const { rule, title, fix, type, from, to, before, after, isLossless, isReconstructed, error } = edit;
  return (
    <>
      <div>
        <h3 className="font-semibold">
          <a href={placeOfRule(rule)} className="text-accent underline underline-offset-4">
            {title}
          </a>
        </h3>
        <p className="mt-1 text-sm">{fix}</p>
      </div>
      <div className="flex flex-wrap items-center gap-1.5">
        <Badge tone="accent">{words.types[type]}</Badge>
        <Badge tone={isLossless ? "good" : "warn"}>{(isLossless ? words.lossless : words.lossy).name}</Badge>
        {isReconstructed && <Badge tone="warn">{words.reconstructed.name}</Badge>}
        <code className="min-w-0 font-mono text-xs break-all text-muted">
          <ExactText text={[from, to].filter((path) => path !== undefined).join(" → ")} />
        </code>
      </div>
      {before !== after && <LineDiff before={before} after={after} label={texts.change} />}
      {error !== undefined && (
        <p className="border-l-2 border-good pl-3 text-sm">
          <span className="block text-muted">{texts.avoids}</span>
          <span className="font-mono text-xs break-words">{error}</span>
        </p>
      )}
    </>
  );
}
