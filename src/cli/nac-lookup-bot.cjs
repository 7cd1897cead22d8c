#!/usr/bin/env node
// Node 18 can run this file, and exits in check-node.cjs. A newer one loads the TypeScript.
require('../check-node.cjs');
import('./run.ts').then(({ run }) => run(process.argv.slice(2)));
