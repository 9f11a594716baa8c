import { Keyboard } from "lucide-react";
import { useCallback, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useSearchParams } from "wouter";

import { useQueue } from "../api/queue.ts";
import { useScopes, useSession } from "../api/session.ts";
import type { CardHandle } from "../card/approval-card.tsx";
import { useKeptInPlace } from "../card/use-kept-in-place.ts";
import { Button } from "../parts/controls/button.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { useNow } from "../parts/moment.tsx";
import { connectionTexts } from "../texts/connection-texts.ts";
import { inboxTexts } from "../texts/inbox-texts.ts";
import { useSentences, useTexts } from "../texts/language.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import type { BulkHandle } from "./bulk-bar.tsx";
import { EmptyInbox } from "./empty-inbox.tsx";
import { Filters } from "./filters.tsx";
import { filterIn, isShown, linesOf, searchOf, versionOf } from "./inbox-lines.ts";
import type { InboxFilter, InboxLine } from "./inbox-lines.ts";
import { Line } from "./inbox-line.tsx";
import { useInboxKeys } from "./inbox-keys.ts";
import { NotificationOffer } from "./notification-offer.tsx";
import { SelectAll } from "./select-all.tsx";
import { ShortcutList } from "./shortcut-list.tsx";
import { useLinkedLine } from "./use-linked-line.ts";

/** Lines that are shown at a time. The line with the open card is always shown. */
const step = 250;

/** Every pending call of every thread. */
export function InboxView() {
  const texts = useTexts(inboxTexts);
  const joined = useSentences();
  const { lost } = useTexts(connectionTexts);
  const { threads, connection, count } = useQueue();
  const { mayDecide, mayRead } = useScopes();
  const isForbidden = useSession().isSuccess && !mayDecide;
  const now = useNow(10_000);
  const [search, setSearch] = useSearchParams();
  const filter = useMemo(() => filterIn(search), [search]);
  const setFilter = (next: InboxFilter): void => {
    setSearch(searchOf(next), { replace: true });
    if (open !== undefined && !isShown(open, next)) setOpen(undefined);
  };
  const [most, setMost] = useState(step);
  const [open, setOpen] = useState<InboxLine>();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isShortcutListOpen, setIsShortcutListOpen] = useState(false);
  const card = useRef<CardHandle>(null);
  const bulk = useRef<BulkHandle>(null);
  const waiting = useMemo(() => linesOf(threads, now), [threads, now]);
  const matching = useMemo(() => waiting.filter((line) => isShown(line, filter)), [waiting, filter]);
  const { missing, dismiss } = useLinkedLine(waiting, open, setOpen);
  const { shown } = useKeptInPlace(matching, open, keyOf);
  const chosen = useMemo(() => matching.filter((line) => selected.has(versionOf(line))), [matching, selected]);
  const lines = useMemo(() => shown.filter(({ key }, i) => i < most || key === open?.key), [shown, most, open]);
  const keys = useMemo(() => new Set(waiting.map(({ key }) => key)), [waiting]);
  const isWaiting = (line: InboxLine): boolean => keys.has(line.key);

  const onOpen = useCallback((line: InboxLine) => {
    flushSync(() => setOpen((before) => (before?.key === line.key ? undefined : line)));
    focusLine(line.key);
  }, []);
  const onSelect = useCallback((line: InboxLine) => {
    setSelected((before) => {
      const next = new Set(before);
      if (!next.delete(versionOf(line))) next.add(versionOf(line));
      return next;
    });
  }, []);
  const onDeselect = (gone: readonly InboxLine[]): void => {
    const versions = new Set(gone.map(versionOf));
    setSelected((before) => new Set([...before].filter((version) => !versions.has(version))));
  };
  /** The line that keys are about: that of the focus, else the open one. */
  const current = (): InboxLine | undefined => lines.find(({ key }) => key === focusedKey()) ?? open;
  const show = (line: InboxLine | undefined): void => {
    if (line === undefined || line.key === open?.key) return;
    flushSync(() => setOpen(line));
    focusLine(line.key);
  };
  const onMove = (by: number): void => {
    const from = current();
    const at = lines.findIndex(({ key }) => key === from?.key);
    show(lines[Math.min(Math.max(at === -1 ? 0 : at + by, 0), lines.length - 1)]);
  };
  /** A key about a closed line shows it first: a person decides what the card shows. */
  const onCard = (act: keyof CardHandle): void => {
    const line = current();
    if (line?.key !== open?.key) show(line);
    else card.current?.[act]();
  };
  const onClose = (): void => {
    if (isShortcutListOpen) return setIsShortcutListOpen(false);
    if (open === undefined) return;
    const at = shown.findIndex(({ key }) => key === open.key);
    flushSync(() => setOpen(undefined));
    const next = isWaiting(open) ? open : (matching[at] ?? matching.at(-1)); // an open line that was decided leaves
    if (next !== undefined) focusLine(next.key);
  };
  useInboxKeys({
    next: () => onMove(1),
    previous: () => onMove(-1),
    approve: () => onCard("approve"),
    reject: () => onCard("reject"),
    edit: () => onCard("edit"),
    toggleRaw: () => onCard("toggleRaw"),
    select: () => {
      const line = current();
      if (line !== undefined && isWaiting(line)) onSelect(line);
    },
    approveSelected: () => bulk.current?.approve(),
    rejectSelected: () => bulk.current?.reject(),
    help: () => setIsShortcutListOpen(!isShortcutListOpen),
    close: onClose,
  });

  return (
    <div className="flex h-full flex-col">
      {/* Relative: hidden texts for screen readers scroll with the lines, and not the whole page. */}
      <div className="relative min-h-0 flex-1 overflow-auto">
        {/* An open card becomes shorter with its decision. The space below keeps it where it is. */}
        <div className={`mx-auto flex max-w-6xl flex-col ${open === undefined ? "sm:pb-4" : "pb-[45vh]"}`}>
          <header
            className={`flex flex-wrap items-center gap-x-3 gap-y-2 px-3 pt-4 pb-3 sm:px-4 ${connection === "lost" ? "sticky top-0 z-10 bg-page" : ""}`}
          >
            <h1 className="text-xl font-semibold">{texts.title}</h1>
            {!isForbidden && (
              <p
                role="status" // with space for two lines on a phone, so that no button moves
                className="text-sm text-muted max-sm:flex max-sm:min-h-10 max-sm:min-w-40 max-sm:flex-1 max-sm:items-center"
              >
                {connection === "lost" ? (
                  <span className="text-warn max-sm:text-xs">{lost}</span>
                ) : count > 0 ? (
                  texts.count(matching.length, count)
                ) : connection === "connecting" ? (
                  texts.connecting
                ) : (
                  lines.length > 0 && texts.emptyTitle
                )}
              </p>
            )}
            {!isForbidden && (
              <Button
                look="quiet"
                className="ml-auto pointer-coarse:hidden"
                aria-expanded={isShortcutListOpen}
                aria-keyshortcuts="?"
                onClick={() => setIsShortcutListOpen(!isShortcutListOpen)}
              >
                <Keyboard size={16} aria-hidden /> {texts.keys}
              </Button>
            )}
          </header>
          <div className="flex flex-col gap-3 px-3 pb-3 sm:px-4">
            {isForbidden && <p>{texts.forbidden}</p>}
            {isShortcutListOpen && <ShortcutList />}
            {missing !== undefined && (
              <div
                role="status"
                className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn"
              >
                <p className="min-w-0 flex-1 basis-64 break-words">
                  <ExactText
                    text={joined([
                      texts.notWaiting(missing.call, missing.thread),
                      ...(mayRead ? [] : [texts.noOutcome]),
                    ])}
                  />
                </p>
                <Button onClick={dismiss}>{texts.dismiss}</Button>
              </div>
            )}
            {(lines.length > 0 || count > 0) && ( // they stay while the last card shows the outcome of its call
              <>
                <NotificationOffer />
                <Filters
                  lines={open === undefined ? waiting : [...waiting, open]}
                  filter={filter}
                  onChange={setFilter}
                />
                {mayDecide && lines.length > 1 && (
                  <SelectAll lines={matching.slice(0, most)} selected={selected} onSelect={setSelected} />
                )}
              </>
            )}
            {threads.map(
              ({ id, title, error }) =>
                error !== undefined && (
                  <p key={id} role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-sm text-bad">
                    <ExactText text={texts.unreadable(title ?? id, error.message)} />
                  </p>
                ),
            )}
          </div>
          {lines.length > 0 && (
            <ul aria-label={texts.list} className="border-y border-line bg-surface sm:mx-4 sm:rounded-lg sm:border">
              {lines.map((line) => (
                <Line
                  key={line.key}
                  line={line}
                  now={now}
                  isOpen={line.key === open?.key}
                  isSelected={selected.has(versionOf(line))}
                  isWaiting={isWaiting(line)}
                  mayDecide={mayDecide}
                  onOpen={onOpen}
                  onSelect={onSelect}
                  card={card}
                />
              ))}
            </ul>
          )}
          {shown.length > lines.length && (
            <Button className="m-4 self-center" onClick={() => setMost(most + step)}>
              {texts.more(shown.length - lines.length)}
            </Button>
          )}
          {lines.length === 0 && count > 0 && (
            <p className="px-4 py-8 text-center text-muted">
              {texts.noMatch}{" "}
              <Button look="quiet" onClick={() => setFilter({})}>
                {texts.clearFilters}
              </Button>
            </p>
          )}
          {lines.length === 0 && count === 0 && connection === "open" && <EmptyInbox />}
        </div>
      </div>
      {mayDecide && <BulkBar ref={bulk} lines={chosen} onDeselect={onDeselect} />}
    </div>
  );
}

const keyOf = ({ key }: InboxLine): string => key;

/** Moves the focus to a line, and the line into view, when its card is shown. */
function focusLine(key: string): void {
  const line = document.querySelector(`[data-line=${CSS.escape(key)}]`);
  line?.querySelector<HTMLElement>("button[aria-expanded]")?.focus({ preventScroll: true });
  line?.scrollIntoView({ block: "nearest" });
}

/** The key of the line that has the focus. */
const focusedKey = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>("[data-line]")?.dataset["line"];
