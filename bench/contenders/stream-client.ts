/** What a client made of a stream. */
export interface StreamOutcome {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[];
}

/** One way to read a stream: from the body of a response to what was said. */
export type StreamClient = (body: ReadableStream<Uint8Array>) => Promise<StreamOutcome>;

/** The answer of a server that is not there, for clients that want to call one. */
export const answering = (body: ReadableStream<Uint8Array>) => (): Promise<Response> =>
  Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));

/** The packages are not there when the types are checked: only `npm run bench` installs them. */
export const load = (name: string): Promise<unknown> => import(name);
