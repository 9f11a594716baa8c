/** A request body as it goes over the wire. */
export interface GeneratedBody {
  readonly [key: string]: unknown;
  readonly model: string;
  readonly messages: readonly Record<string, unknown>[];
}
