export { defineConfig } from "./config.ts";
export type { AgentConfig, Config, PersonaConfig } from "./config.ts";
export { inlineConfig, isAgentFile, loadAgentFile, loadConfig } from "./load-config.ts";
export type { LoadedConfig } from "./load-config.ts";
export { agentNames, openAgent, resolveAgent } from "./open-agent.ts";
export type { AgentChoice, ResolvedAgent } from "./open-agent.ts";
export { defaultStorePath, openStore } from "./open-store.ts";
export type { StorePlace } from "./open-store.ts";
