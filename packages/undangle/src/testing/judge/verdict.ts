/** One reason why a provider would refuse the request: the id of the rule, the path, and the provider's error text. */
export interface Verdict {
  readonly id: string;
  readonly path: string;
  readonly text: string;
}
