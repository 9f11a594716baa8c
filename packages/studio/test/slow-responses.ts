import { setTimeout as sleep } from "node:timers/promises";

import type { Page } from "playwright-core";

/** The requests for an address so far. */
export interface Requests {
  readonly count: number;
  /** How many were open at the same time. */
  readonly most: number;
}

/** Delays the responses from an address. */
export async function slowResponses(page: Page, address: RegExp, delay: number): Promise<Requests> {
  const requests = { count: 0, most: 0 };
  let open = 0;
  await page.route(address, async (route) => {
    requests.count++;
    requests.most = Math.max(requests.most, ++open);
    await sleep(delay);
    open--;
    if (!page.isClosed()) await route.continue();
  });
  return requests;
}
