/** One reason for which a provider would refuse the request: an id of the rule list, where, and the error text of the provider. */
export interface Verdict {
  readonly id: string;
  readonly path: string;
  readonly text: string;
}
