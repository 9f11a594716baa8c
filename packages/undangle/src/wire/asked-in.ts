import type { Asked } from "#codecs";

import type { Exchange } from "./mend-response.ts";

/** What is known of a request to whoever reads its answer. */
export const askedIn = ({ request, endpoint }: Exchange): Asked => ({
  request: request.body,
  provider: endpoint.provider,
  agent: request.agent,
  helper: request.helper,
});
