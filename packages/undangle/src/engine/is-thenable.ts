/** True for a promise, including those of other libraries. */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  value instanceof Promise ||
  (typeof value === "object" && value !== null && "then" in value && typeof value.then === "function");
