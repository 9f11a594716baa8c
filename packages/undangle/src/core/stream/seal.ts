/**
 * A signature or encrypted content with which a provider verifies output of its model. Only the provider can read it.
 */
export interface Seal {
  readonly owner: Owner;
  /** Empty if there is only an id or a phase. */
  readonly value: string;
  /** The id under which the provider stores it. */
  readonly id?: string;
  /** The server that created it, if several servers use the provider's format. No other server accepts it. */
  readonly server?: string;
  /** OpenAI's message phase, which must be sent back unchanged. */
  readonly phase?: string;
}

/** The provider whose servers created a signature. No other provider can read it. */
export type Owner = "openai" | "anthropic" | "gemini" | "openrouter";
