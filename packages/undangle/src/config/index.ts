export { defineConfig } from "./config.ts";
export type {
  AgentConfig,
  Config,
  ModelPrice,
  PersonaConfig,
  ServerConfig,
  ServerLimits,
  ServerPrices,
} from "./config.ts";
export { demoAgent } from "./demo/demo-agent.ts";
export { languageFor } from "#core";
export { inlineConfig, isAgentFile, loadAgentFile, loadConfig } from "./load-config.ts";
export type { LoadedConfig } from "./load-config.ts";
export { agentNames, openAgent, resolveAgent } from "./open-agent.ts";
export type { AgentChoice, ResolvedAgent } from "./open-agent.ts";
export { defaultStorePath, openStore } from "./open-store.ts";
export type { StorePlace } from "./open-store.ts";
export { withoutPassword } from "./without-password.ts";
