import { useLocation } from "wouter";

import { decoded, useHash } from "../parts/use-hash.ts";

/** The path of the address as links have it. The router decodes it in part. */
export function usePlace(): string {
  useLocation();
  return location.pathname;
}

/** The address of a thread. */
export const threadPlace = (id: string): string => `/t/${encodeURIComponent(id)}`;

/** The address of the inbox with the card of a call. */
export const inboxPlace = (thread: string, call: string): string =>
  `/?${new URLSearchParams({ thread, call }).toString()}`;

/** The id of the thread in the address. The router decodes its parameters in part, so that they cannot be decoded again. */
export const addressedThread = (): string => decoded(location.pathname.split("/")[2] ?? "");

/** The id of the call that the address names, or an empty text. */
export const useLinkedCall = (): string => decoded(useHash().slice(1));
