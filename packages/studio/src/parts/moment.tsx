import { useEffect, useState } from "react";

import { serverTime } from "../api/server-time.ts";
import { useLanguage } from "../texts/language.tsx";

/** The current time of the server, which changes every second while the component is shown. */
export function useNow(every = 1000): number {
  const [now, setNow] = useState(serverTime);
  useEffect(() => {
    const timer = setInterval(() => setNow(serverTime()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}

/** A time for programs; undefined for one that the calendar does not contain. */
export const isoOf = (at: number): string | undefined =>
  Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : undefined;

/** True once a time has come. The component is rendered again only then. */
export function useIsPast(at: number | undefined): boolean {
  const [isPast, setIsPast] = useState(() => at !== undefined && at <= serverTime());
  useEffect(() => {
    if (at === undefined) return undefined;
    const look = (): void => setIsPast(at <= serverTime());
    look();
    const timer = setInterval(look, 1000); // the clock of the server may be corrected
    return () => clearInterval(timer);
  }, [at]);
  return isPast && at !== undefined;
}

/** How long ago something was, or how long it still takes. */
export const Ago = ({ at }: { readonly at: number }) => <AgoAt at={at} now={useNow()} />;

interface AgoAtProps {
  readonly at: number;
  readonly now: number;
  /** Where there is little room: `2m ago`. */
  readonly isNarrow?: boolean;
}

/** The same with the time of a list, which has one clock for all of its lines. */
export function AgoAt({ at, now, isNarrow = false }: AgoAtProps) {
  const language = useLanguage();
  const away = Math.round((at - now) / 1000);
  const size = Math.abs(away);
  const words = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: isNarrow ? "narrow" : "short" });
  const text =
    size < 60
      ? words.format(away, "second")
      : size < 3600
        ? words.format(Math.trunc(away / 60), "minute")
        : size < 86_400
          ? words.format(Math.trunc(away / 3600), "hour")
          : words.format(Math.trunc(away / 86_400), "day");
  return (
    <time dateTime={isoOf(at)} title={new Date(at).toLocaleString(language)}>
      {text}
    </time>
  );
}

/** A moment of the clock, short. */
export function Time({ at }: { readonly at: number }) {
  const language = useLanguage();
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const text = isToday
    ? date.toLocaleTimeString(language, { hour: "numeric", minute: "2-digit" })
    : date.toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
  return (
    <time dateTime={isoOf(at)} title={date.toLocaleString(language)}>
      {text}
    </time>
  );
}
