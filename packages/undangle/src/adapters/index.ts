export * from "./ai-sdk.ts";
export * from "./langchain.ts";
