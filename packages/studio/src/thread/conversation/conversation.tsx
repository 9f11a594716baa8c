import { ArrowDown } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { ReactElement, RefObject } from "react";
import { VList } from "virtua";
import type { VListHandle } from "virtua";
import type { PendingCall } from "undangle/client";

import { useLinkedCall } from "../../shell/address.ts";
import { useTexts } from "../../texts/language.tsx";
import { threadTexts } from "../../texts/thread-texts.ts";
import { EmptyThread } from "./empty-thread.tsx";
import { EntryView } from "./entry-view.tsx";
import { RunNotes } from "./run-notes.tsx";
import type { ShownEntry, ThreadState } from "../feed/thread-state.ts";

interface ConversationProps {
  readonly threadId: string;
  readonly persona: string;
  readonly state: ThreadState;
  readonly pending: readonly PendingCall[];
  readonly isLoadingOlder: boolean;
  /** Another number scrolls to the end. */
  readonly follow: number;
  readonly onOlder: () => void;
  readonly onFork: (entry: number) => void;
  readonly onRetry: () => void;
}

type Item =
  | { readonly type: "older"; readonly key: string }
  | { readonly type: "notes"; readonly key: string }
  | { readonly type: "entry"; readonly key: string; readonly entry: ShownEntry; readonly isLive: boolean };

/** How near to the start older entries are read, in pixels. */
const nearStart = 1_200;

/** The messages and turns. Only those in sight are in the document. */
export function Conversation(props: ConversationProps) {
  const { threadId, persona, state, pending, isLoadingOlder, follow, onOlder, onFork, onRetry } = props;
  const texts = useTexts(threadTexts);
  const list = useRef<VListHandle>(null);
  const frame = useRef<HTMLDivElement>(null);
  const items = useMemo(() => itemsOf(state), [state]);
  const { isAway, onScroll, jump, leave, onAct } = useLatest(frame, follow);
  const isOlder = useOlderAtStart(state);
  const hasOlder = state.before !== null && !isLoadingOlder;
  const linked = useReached({ list, items, hasOlder, onOlder, onReach: leave });
  const lastTurn = state.isRunning || pending.length > 0 ? undefined : lastTurnOf(state);

  useEffect(() => {
    const { current } = list;
    if (state.before !== null && current !== null && current.scrollSize <= current.viewportSize) onOlder();
  }, [state.before, items.length, onOlder]);

  const show = (item: Item): ReactElement => {
    const content = (): ReactElement => {
      if (item.type === "older")
        return <p className="text-center text-sm text-muted">{isLoadingOlder && texts.older}</p>;
      if (item.type === "notes") return <RunNotes state={state} isWaiting={pending.length > 0} onRetry={onRetry} />;
      const { entry, isLive } = item;
      return (
        <EntryView
          threadId={threadId}
          entry={entry}
          isLive={isLive}
          discarded={isLive ? state.discarded : noReasons}
          activity={entry.calls.length > 0 ? state.activity : noActivity}
          pending={entry.calls.length > 0 ? pending : noCalls}
          linked={entry.calls.length > 0 ? linked : ""}
          reads={entry.calls.some(({ thread }) => thread !== undefined) ? state.reads : 0}
          onFork={isLive ? undefined : onFork}
          onRetry={entry === lastTurn ? onRetry : undefined}
        />
      );
    };
    return (
      <div key={item.key} className="mx-auto w-full max-w-3xl min-w-0 px-4 py-2">
        {content()}
      </div>
    );
  };

  return (
    <div
      ref={frame}
      className="relative flex min-h-24 flex-1 flex-col [@media(height<36rem)]:min-h-48"
      onClickCapture={({ target }) => {
        if (target instanceof Element && target.closest("summary, [aria-expanded]") !== null) leave();
      }}
      onWheel={({ deltaY }) => {
        if (deltaY < 0) leave();
      }}
      onTouchMove={leave}
      onPointerDownCapture={onAct}
      onKeyDown={({ key }) => {
        onAct();
        if (key === "ArrowUp" || key === "PageUp" || key === "Home") leave();
      }}
    >
      <VList
        ref={list}
        data={items}
        shift={isOlder}
        tabIndex={0}
        role="region"
        aria-label={texts.conversation}
        className="min-h-0 flex-1 py-3"
        onScroll={(offset) => {
          onScroll(offset);
          if (offset < nearStart && state.before !== null) onOlder();
        }}
      >
        {show}
      </VList>
      {items.length <= 2 && state.entries.length === 0 && !state.isRunning && (
        <EmptyThread threadId={threadId} persona={persona} />
      )}
      {isAway && ( // below the text, not above it
        <button
          type="button"
          onClick={jump}
          className="flex min-h-8 flex-none items-center justify-center gap-1.5 border-t pointer-coarse:min-h-10 border-line bg-surface text-sm font-medium hover:bg-raised"
        >
          <ArrowDown size={16} aria-hidden /> {texts.latest}
        </button>
      )}
    </div>
  );
}

const noReasons: readonly string[] = [];
const noActivity: Readonly<Record<string, string>> = {};
const noCalls: readonly PendingCall[] = [];

/** Queued messages come after the turn that the model is writing. */
function itemsOf({ entries, live, before }: ThreadState): readonly Item[] {
  const entry = (each: ShownEntry): Item => ({
    type: "entry",
    key: `${each.queued === true ? "queued" : "entry"} ${each.entry}`,
    entry: each,
    isLive: each === live,
  });
  const saved = entries.filter(({ queued }) => queued !== true).map(entry);
  const waiting = entries.filter(({ queued }) => queued === true).map(entry);
  return [
    ...(before === null ? [] : [{ type: "older" as const, key: "older" }]),
    ...saved,
    ...(live === undefined ? [] : [entry(live)]),
    ...waiting,
    { type: "notes", key: "notes" },
  ];
}

const lastTurnOf = ({ entries }: ThreadState): ShownEntry | undefined => {
  const last = entries.findLast(({ retracted, queued }) => retracted !== true && queued !== true);
  return last?.type === "turn" ? last : undefined;
};

/** Keeps the end in sight, unless the person has scrolled up. */
function useLatest(frame: RefObject<HTMLElement | null>, follow: number) {
  const isFollowing = useRef(true);
  const leftAt = useRef(0);
  const actedAt = useRef(-Infinity);
  const before = useRef(0);
  const [isAway, setIsAway] = useState(false);
  /** Scrolls to the end, or offers to. */
  const toEnd = useCallback((): void => {
    if (isFollowing.current) regionIn(frame.current)?.scrollTo({ top: 1e9 }); // `scrollToIndex` scrolls for a while
    setIsAway(!isFollowing.current && restIn(frame.current) >= near);
  }, [frame]);
  const jump = useCallback((): void => {
    isFollowing.current = true;
    toEnd();
  }, [toEnd]);
  /** Called when the person begins to scroll up or opens something, or the page scrolls to another place. */
  const leave = useCallback((): void => {
    if ((regionIn(frame.current)?.scrollTop ?? 0) <= 0) return; // it cannot be scrolled up
    isFollowing.current = false;
    leftAt.current = performance.now();
  }, [frame]);
  /** Called when a person presses something here, such as the scroll bar, or a key. */
  const onAct = useCallback((): void => {
    actedAt.current = performance.now();
  }, []);
  useLayoutEffect(toEnd);
  useLayoutEffect(jump, [jump, follow]);
  useEffect(() => {
    const region = regionIn(frame.current);
    const sizes = new ResizeObserver(toEnd); // texts are parsed and images load after they are shown
    for (const each of [region, region?.firstElementChild]) if (each instanceof Element) sizes.observe(each);
    return () => sizes.disconnect();
  }, [frame, toEnd]);
  return {
    isAway,
    jump,
    leave,
    onAct,
    onScroll: (offset: number): void => {
      const rest = restIn(frame.current); // the list learns its new size later
      const isJustLeft = performance.now() - leftAt.current < leaving;
      if (offset < before.current && rest > 1) {
        const isOfPerson = performance.now() - actedAt.current < acting;
        if (isOfPerson) leave();
        else toEnd(); // the list moves by itself when it learns other sizes, and when cards below it disappear
      } else if (rest < near && !isJustLeft) isFollowing.current = true;
      before.current = offset;
      setIsAway(!isFollowing.current && rest >= near);
    },
  };
}

/** How long after the person has begun to scroll up the page does not follow again, in milliseconds. */
const leaving = 300;

/** How long after a person has pressed something the page scrolls up because of it, in milliseconds. */
const acting = 2_000;

/** So near to the end counts as the end, in pixels. */
const near = 48;

/** How far the end is below what is in sight. */
function restIn(frame: HTMLElement | null): number {
  const region = regionIn(frame);
  return region === null ? 0 : region.scrollHeight - region.clientHeight - region.scrollTop;
}

const regionIn = (frame: HTMLElement | null): Element | null => frame?.querySelector("[role=region]") ?? null;

/** True in the render that adds older entries at the start, so that the list keeps its place. */
function useOlderAtStart({ entries }: ThreadState): boolean {
  const first = entries[0]?.entry;
  const [before, setBefore] = useState(first);
  const isOlder = first !== undefined && before !== undefined && first < before;
  useLayoutEffect(() => setBefore(first), [first]);
  return isOlder;
}

interface Linking {
  readonly list: RefObject<VListHandle | null>;
  readonly items: readonly Item[];
  /** True if older entries can be read now. */
  readonly hasOlder: boolean;
  readonly onOlder: () => void;
  readonly onReach: () => void;
}

/** Scrolls to the call that the address names, and focuses it. Older entries are read until it is found. */
function useReached({ list, items, hasOlder, onOlder, onReach }: Linking): string {
  const linked = useLinkedCall();
  const reached = useRef("");
  useEffect(() => {
    reached.current = ""; // a call that the address names again is reached again
  }, [linked]);
  useEffect(() => {
    if (linked === "" || reached.current === linked) return;
    const own = linked.split("/", 1)[0];
    const place = items.findIndex((item) => item.type === "entry" && item.entry.calls.some(({ id }) => id === own));
    if (place === -1) {
      if (hasOlder) onOlder();
      return;
    }
    reached.current = linked;
    onReach();
    list.current?.scrollToIndex(place, { align: "center" });
    focusSoon(linked, own ?? linked);
  }, [linked, items, hasOlder, onOlder, onReach, list]);
  return linked;
}

/** The element appears after the list has scrolled, and after a sub-agent's entries were read. */
function focusSoon(id: string, own: string, { left = 100, before = document.activeElement } = {}): void {
  if (document.activeElement !== before && document.activeElement !== document.body) return; // the person works elsewhere
  const found = document.getElementById(id) ?? (left === 0 ? document.getElementById(own) : null);
  if (found !== null) {
    const isDeciding = document.activeElement?.closest("[data-card]") instanceof Element; // it keeps the focus in which a person writes
    if (!isDeciding) found.focus({ preventScroll: true });
    const isTall = found.clientHeight > (found.closest("[role=region]")?.clientHeight ?? 0);
    found.scrollIntoView({ block: isTall ? "start" : "center" }); // its name is at its start
  } else if (left > 0) setTimeout(() => focusSoon(id, own, { left: left - 1, before }), 50);
}
