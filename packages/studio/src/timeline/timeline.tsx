import { ChevronLeft, ChevronRight } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import type { Trace } from "undangle/client";

import { Button } from "../parts/controls/button.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { SideDialog } from "../parts/side-dialog.tsx";
import { useTexts } from "../texts/language.tsx";
import { timelineTexts } from "../texts/timeline-texts.ts";
import { MarkList } from "./details/mark-list.tsx";
import { rowsOf } from "./layout/rows.ts";
import { SpanDetails } from "./details/span-details.tsx";
import { SpanTable } from "./span-table.tsx";
import { useSpanWords } from "./span-words.ts";
import { scaleOf } from "./layout/time-scale.ts";
import { Totals } from "./totals.tsx";
import { marksId, Waterfall } from "./chart/waterfall.tsx";

export interface TimelineProps {
  readonly trace: Trace;
  /** The thread on this server; undefined for a trace of a file. */
  readonly threadId: string | undefined;
}

/** A trace with its totals, as a drawing or as a table. Open spans last until it was read, as in the totals. */
export function Timeline({ trace, threadId }: TimelineProps) {
  const now = trace.at;
  const texts = useTexts(timelineTexts);
  const [form, setForm] = useState<"drawing" | "table">("drawing");
  const [compress, setCompress] = useState(true);
  const [opened, setOpened] = useState<string>();
  const compressed = useMemo(() => scaleOf(trace, { now, compress: true }), [trace, now]);
  const plain = useMemo(() => scaleOf(trace, { now }), [trace, now]);
  const scale = compress ? compressed : plain;
  const close = useCallback(() => setOpened(undefined), []);
  const look =
    "min-h-9 px-3 text-sm pointer-coarse:min-h-11 aria-pressed:bg-accent-soft aria-pressed:font-medium forced-colors:aria-pressed:underline";
  const forms = (
    <div
      role="group"
      aria-label={texts.shown}
      className="ml-auto flex overflow-hidden rounded-md border border-control"
    >
      {(["drawing", "table"] as const).map((each) => (
        <button key={each} type="button" aria-pressed={form === each} className={look} onClick={() => setForm(each)}>
          {texts[each]}
        </button>
      ))}
    </div>
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 p-4">
      <Totals trace={trace} />
      {form === "drawing" ? (
        <Waterfall trace={trace} scale={scale} now={now} onOpen={setOpened}>
          {compressed.breaks.length > 0 && (
            <label className="ml-2 flex min-h-9 items-center gap-2 text-sm" title={texts.compressHint}>
              <input
                type="checkbox"
                checked={compress}
                onChange={({ target }) => setCompress(target.checked)}
                className="size-4 accent-[var(--color-accent-strong)]"
              />
              {texts.compress}
            </label>
          )}
          {forms}
        </Waterfall>
      ) : (
        <>
          <div className="flex">{forms}</div>
          <SpanTable trace={trace} origin={plain.start} now={now} onOpen={setOpened} />
        </>
      )}
      {opened !== undefined && (
        <OpenedRow
          trace={trace}
          threadId={threadId}
          origin={plain.start}
          id={opened}
          onOpen={setOpened}
          onClose={close}
        />
      )}
    </div>
  );
}

interface OpenedRowProps extends TimelineProps {
  readonly origin: number;
  readonly id: string;
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}

/** The details of a row, with buttons for its neighbours. */
function OpenedRow({ trace, threadId, origin, id, onOpen, onClose }: OpenedRowProps) {
  const texts = useTexts(timelineTexts);
  const now = trace.at;
  const currency = trace.totals.cost?.currency;
  const wordsOf = useSpanWords({ origin, now, currency });
  const spans = useMemo(() => rowsOf(trace.spans).map(({ span }) => span), [trace.spans]);
  const place = spans.findIndex((span) => span.id === id);
  const span = spans[place];
  const repairs = trace.marks.filter(({ type }) => type === "repair").length;
  const isMarks = id === marksId && span === undefined;
  const title = isMarks
    ? texts.marks(repairs, trace.marks.length - repairs)
    : span === undefined
      ? ""
      : wordsOf(span).name;
  const neighbours = [
    { text: texts.details.previous, span: spans[place - 1], before: <ChevronLeft size={16} aria-hidden /> },
    { text: texts.details.next, span: spans[place + 1], after: <ChevronRight size={16} aria-hidden /> },
  ];
  return (
    <SideDialog title={<ExactText text={title} />} closeText={texts.details.close} onClose={onClose}>
      {isMarks && <MarkList marks={trace.marks} threadId={threadId} />}
      {span !== undefined && (
        <>
          <SpanDetails key={span.id} span={span} threadId={threadId} origin={origin} now={now} currency={currency} />
          <div className="mt-6 flex justify-between border-t border-line pt-3">
            {neighbours.map(({ text, span: neighbour, before, after }) => (
              <Button
                key={text}
                look="quiet"
                disabled={neighbour === undefined}
                onClick={() => neighbour !== undefined && onOpen(neighbour.id)}
              >
                {before} {text} {after}
              </Button>
            ))}
          </div>
        </>
      )}
    </SideDialog>
  );
}
