/** Something that can be told to stop. */
export interface Abortable {
  readonly signal: () => AbortSignal;
  readonly isAborted: () => boolean;
  readonly abort: (reason?: unknown) => void;
}

/** A signal that is made when somebody asks for it: most tools never do, and it takes longer to make than many of them to run. */
export function createAbortable(): Abortable {
  let controller: AbortController | undefined;
  let isAborted = false;
  let reason: unknown;
  return {
    signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (isAborted) controller.abort(reason);
      }
      return controller.signal;
    },
    isAborted: () => isAborted,
    abort(given = new DOMException("The run was stopped.", "AbortError")) {
      if (isAborted) return;
      isAborted = true;
      reason = given;
      controller?.abort(given);
    },
  };
}
