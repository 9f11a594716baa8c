import type { Profile } from "#core";

import { anthropicProfile } from "../anthropic/profile.ts";
import { bedrockProfile } from "../bedrock/profile.ts";
import { chatProfile } from "../openai-chat/profiles.ts";

/** The AI SDK's requirements for ids, names and arguments. */
const anyModel: Profile = {
  ids: { pattern: undefined, longest: Infinity, scope: "turn", mint: "call" },
  names: { pattern: /^[^]+$/, longest: Infinity },
  arguments: "object",
  argumentsAreParsed: false,
  blankArgumentsAccepted: false,
};

/** The SDK's packages send ids unchanged, so those of a history must be valid for the provider. */
const withIds = (ids: Partial<Profile["ids"]>): Profile => ({ ...anyModel, ids: { ...anyModel.ids, ...ids } });

const claudeIds = anthropicProfile({ list: [], body: undefined, provider: "anthropic", model: undefined }).ids;

const chatIds = (provider: string): Profile["ids"] =>
  chatProfile(provider, { model: undefined, thinking: undefined }).ids;

/** Models with stricter id rules than the SDK. The name follows the provider: `openai.responses/gpt-5.1`. */
const profiles: readonly (readonly [model: RegExp, profile: Profile])[] = [
  [/claude|anthropic/i, withIds(claudeIds)],
  [/\.responses\//i, withIds({ scope: "request", longest: 64 })],
  [/minimax/i, withIds(chatIds("minimax"))],
  [/^mistral[./]/i, withIds(chatIds("mistral"))],
  [/^(?:openai|azure(?:-openai)?)\.chat\//i, withIds(chatIds("openai"))],
  [/bedrock/i, withIds(bedrockProfile.ids)],
];

export function aiSdkProfile(model = ""): Profile {
  return profiles.find(([pattern]) => pattern.test(model))?.[1] ?? anyModel;
}
