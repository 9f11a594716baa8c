/** The `fetch` of wherever this runs: what an SDK asks for is of this type. Without one in the types, anything goes. */
export type Fetch = typeof globalThis extends { readonly fetch: infer Global }
  ? Global
  : (input: never, init?: never) => Promise<never>;
