#!/usr/bin/env node
// The same command as the published one, so that `node bin/undangle.js` works from the root of a checkout.
import "../packages/undangle/bin/undangle.js";
