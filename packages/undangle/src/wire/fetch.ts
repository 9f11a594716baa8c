/** The `fetch` of wherever this runs: what an SDK asks for is of this type. Without one in the types, anything goes. */
export type Fetch = typeof globalThis extends { readonly fetch: infer Global }
  ? Global
  : (input: never, init?: never) => Promise<never>;

/** The part of it that is called: that of some runtimes has more, which nobody's own function has. */
export type FetchCall = typeof globalThis extends { readonly fetch: (...given: infer Given) => infer Answer }
  ? (...given: Given) => Answer
  : (input: never, init?: never) => Promise<unknown>;
