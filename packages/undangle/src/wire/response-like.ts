/**
 * Makes responses like another one but for the body. What `Response` cannot be given is told in its place. Where it cannot be
 * done that is an error here, before anybody has touched a body.
 */
export function responsesLike(
  response: Response,
): (body: ReadableStream<Uint8Array>, contentType?: string) => Response {
  const { status, statusText, url, redirected, type } = response;
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  const likeness = new Response(null, { status, statusText, headers });
  return (body, contentType) => {
    if (contentType !== undefined) likeness.headers.set("content-type", contentType);
    const changed = new Response(body, { status, statusText, headers: likeness.headers });
    return withFacts(changed, { url, redirected, type });
  };
}

type Facts = Pick<Response, "url" | "redirected" | "type">;

/** Where an answer has come from, also for its clones. */
function withFacts(response: Response, facts: Facts): Response {
  const clone = (): Response => withFacts(Response.prototype.clone.call(response), facts);
  for (const [key, value] of Object.entries({ ...facts, clone })) {
    Object.defineProperty(response, key, { value, configurable: true, writable: true });
  }
  return response;
}
