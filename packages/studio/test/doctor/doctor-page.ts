import { fileURLToPath } from "node:url";

import type { Page } from "playwright-core";

import type { SampleName } from "../../src/doctor/samples.ts";
import { doctorTexts } from "../../src/texts/doctor-texts.ts";
import { openPage } from "../browser.ts";
import { serveFiles } from "../static-files.ts";

/** The static build on a plain file server, in a folder of the host. */
export async function openDoctor(hash = "", context: Parameters<typeof openPage>[2] = {}): Promise<Page> {
  const folder = fileURLToPath(new URL("../../dist/doctor", import.meta.url));
  const { url } = await serveFiles(folder, { under: "/tools/doctor/" });
  const page = await openPage(url, hash, context);
  await page.getByText(/works without a network|可以离线使用/u).waitFor();
  return page;
}

/** Cuts the network. Returns the requests that the page makes from now on. */
export async function goOffline(page: Page): Promise<readonly string[]> {
  const requests: string[] = [];
  page.context().on("request", (request) => {
    if (!request.url().startsWith("blob:")) requests.push(request.url()); // a download from memory
  });
  page.on("websocket", (socket) => requests.push(socket.url()));
  await page.context().setOffline(true);
  return requests;
}

export const verdictOf = async (page: Page): Promise<string> => await page.locator("#verdict").innerText();

/** Opens a sample by its English title. */
export async function openSample(page: Page, name: SampleName): Promise<void> {
  await page.getByRole("button", { name: doctorTexts.en.sampleNames[name], exact: true }).click();
  await page.locator("#verdict").waitFor();
}
