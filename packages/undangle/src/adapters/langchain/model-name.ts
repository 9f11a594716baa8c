/** The name of the model behind a chat model, however it is wrapped; undefined when it does not say. */
export function modelName(model: unknown): string | undefined {
  if (typeof model === "string") return model;
  if (typeof model !== "object" || model === null) return undefined;
  const { model: name, modelName: alias, bound, _defaultConfig: config } = model as Readonly<Record<string, unknown>>; // any of them may be missing
  if (typeof name === "string") return name;
  return typeof alias === "string" ? alias : modelName(bound ?? config);
}
