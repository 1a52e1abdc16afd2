// Loaded before the service by bench/start.ts: counts the secrets that it opens, and writes the number when it exits.
import crypto from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const { createDecipheriv } = crypto;
  let opened = 0;
  crypto.createDecipheriv = (...given) => {
    opened++;
    return createDecipheriv(...given);
  };
  syncBuiltinESMExports();
  process.on('exit', () => writeFileSync(process.env.COUNT_OPENED, String(opened)));
}
