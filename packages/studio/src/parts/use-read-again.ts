import { useEffect, useReducer, useRef } from "react";

/** A query of the page. */
interface Reading {
  /** False: it is not read, whatever changes. */
  readonly isEnabled: boolean;
  readonly isFetching: boolean;
  readonly refetch: () => unknown;
}

/**
 * Reads again after `change` changes, or when the returned function is called. One read runs, and at most one follows it:
 * a read that every change starts again would not end while changes continue. The first read, which the query begins,
 * contains the first `change` that is not undefined.
 */
export function useReadAgain(change: unknown, { isEnabled, isFetching, refetch }: Reading): () => void {
  const [requests, request] = useReducer((count: number) => count + 1, 0);
  const begun = useRef({ change, requests }); // what the last read contains
  useEffect(() => {
    if (begun.current.change === undefined) begun.current = { change, requests };
    if (!isEnabled || isFetching) return;
    if (begun.current.change === change && begun.current.requests === requests) return;
    begun.current = { change, requests };
    void refetch();
  }, [change, requests, isEnabled, isFetching, refetch]);
  return request;
}
