import { UndangleError } from "#core";

import { optionNames } from "../http-model-options.ts";
import { joined } from "./provider.ts";
import type { Provider } from "./provider.ts";

/** The place of an Azure deployment. */
export interface AzureOptions {
  /** The name of the resource: `NAME.openai.azure.com`. */
  readonly resource?: string | undefined;
  /** The name of the deployment (default: the model id). */
  readonly deployment?: string | undefined;
  /** The dated API version. By default the API without dates (`/openai/v1`). */
  readonly apiVersion?: string | undefined;
}

/** Refuses Azure options for other providers, and invalid values. */
export function checkAzure(options: AzureOptions, provider: string | undefined): void {
  for (const [option, value] of Object.entries<unknown>({ ...options })) {
    if (value === undefined) continue;
    if (provider !== "azure") {
      throw new UndangleError("options/unknown", { option, allowed: ["provider", ...optionNames] });
    }
    if (typeof value !== "string" || value === "") {
      throw new UndangleError("options/value", { option, value, allowed: ["a string"] });
    }
  }
}

/** The address and the header of Azure. */
export function azurePlace(
  { resource, deployment, apiVersion }: AzureOptions,
  { body }: Pick<Provider, "body">,
): Pick<Provider, "baseURL" | "url" | "headers" | "body"> {
  return {
    body: (asked) => ({ ...body(asked), ...(deployment !== undefined && { model: deployment }) }),
    baseURL: resource === undefined ? "" : `https://${resource}.openai.azure.com`,
    url: (base, id) => {
      if (base === "") {
        const allowed = ["the name of your Azure resource (or set AZURE_OPENAI_ENDPOINT)"];
        throw new UndangleError("options/value", { option: "resource", value: undefined, allowed });
      }
      const root = base.replace(/\/openai(?:\/v1)?\/*$|(?<!\/)\/+$/u, "");
      if (apiVersion === undefined) return joined(root, "/openai/v1/chat/completions");
      const name = encodeURIComponent(deployment ?? id);
      return joined(root, `/openai/deployments/${name}/chat/completions?api-version=${encodeURIComponent(apiVersion)}`);
    },
    headers: (key) => (key === undefined ? {} : { "api-key": key }),
  };
}
