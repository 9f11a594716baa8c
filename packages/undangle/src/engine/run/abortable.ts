/** An operation that can be aborted. */
export interface Abortable {
  signal(): AbortSignal;
  abort(reason?: unknown): void;
}

/** Its signal is created on demand: most tools never use it, and it costs more than many of them. */
export const createAbortable = (): Abortable => new LazyAbortable();

class LazyAbortable implements Abortable {
  #controller: AbortController | undefined;
  #isAborted = false;
  #reason: unknown;

  signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason: unknown = new DOMException("The run was stopped.", "AbortError")): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}
