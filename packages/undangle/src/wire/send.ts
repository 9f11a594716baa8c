/** The part of `fetch` that is wrapped. */
export type Send = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
