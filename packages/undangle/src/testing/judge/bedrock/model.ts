import { claudeModel } from "../anthropic/claude-model.ts";
import { recordOf, type Loose } from "../loose.ts";

/** The properties of the model in the body. */
export interface BedrockModel {
  readonly isClaude: boolean;
  readonly refusesEmptySignature: boolean;
  readonly refusesMixedTurns: boolean;
  /** Undefined for a name without a known model, such as that of a profile. */
  readonly takesSystemRole: boolean | undefined;
  readonly isPrompt: boolean;
  readonly isThinking: boolean;
}

/** Reads modelId, and whether thinking is on. */
export function bedrockModel(body: Loose | undefined): BedrockModel {
  const id = body?.["modelId"];
  const name = typeof id === "string" ? id : "";
  const isClaude = name.includes("anthropic.claude");
  const isOther = /amazon\.nova|cohere\.|mistral\.|meta\.llama|minimax\./.test(name);
  const thinking = recordOf(recordOf(body?.["additionalModelRequestFields"])["thinking"]);
  return {
    isClaude,
    refusesEmptySignature: /amazon\.nova|minimax\./.test(name),
    refusesMixedTurns: /cohere\.|mistral\.|meta\.llama/.test(name),
    takesSystemRole: isClaude ? claudeModel(name).takesSystemRole : isOther ? false : undefined,
    isPrompt: name.startsWith("arn:") && name.includes(":prompt/"),
    isThinking: isClaude && thinking["type"] === "enabled",
  };
}
