/**
 * Makes copies of a response with another body, including the properties that the constructor of `Response` does not accept. Throws
 * before any body is read if the response cannot be copied.
 */
export function cloneResponse(
  response: Response,
): (body: ReadableStream<Uint8Array>, contentType?: string) => Response {
  const { status, statusText, url, redirected, type } = response;
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  const copy = new Response(null, { status, statusText, headers });
  return (body, contentType) => {
    if (contentType !== undefined) copy.headers.set("content-type", contentType);
    const changed = new Response(body, { status, statusText, headers: copy.headers });
    return withProperties(changed, { url, redirected, type });
  };
}

type Properties = Pick<Response, "url" | "redirected" | "type">;

/** Defines read-only properties, also for clones. */
function withProperties(response: Response, properties: Properties): Response {
  const clone = (): Response => withProperties(Response.prototype.clone.call(response), properties);
  for (const [key, value] of Object.entries({ ...properties, clone })) {
    Object.defineProperty(response, key, { value, configurable: true, writable: true });
  }
  return response;
}
