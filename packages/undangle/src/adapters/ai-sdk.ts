export { repairModelMessages } from "./ai-sdk/model-messages.ts";
export { repairStep } from "./ai-sdk/repair-step.ts";
export type { MessagesOptions, ModelOptions, StepOptions } from "./ai-sdk/options.ts";
export { repairUIMessages } from "./ai-sdk/ui-messages.ts";
export { undangleModel } from "./ai-sdk/undangle-model.ts";
export type { ModelMiddleware } from "./ai-sdk/undangle-model.ts";
export type { ModelRepair } from "./ai-sdk/tell-repair.ts";
