/**
 * Is loaded into the service's process with `--import`: the fail points, and a record of randomness. Each draw of 32 bytes is a line of
 * the file DRAWS_FILE, in hex.
 */
import crypto from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import './fail-points.ts';

const { DRAWS_FILE } = process.env;
const draw = crypto.randomBytes;

function recorded(size: number): Buffer {
  const bytes = draw(size);
  if (size === 32) appendFileSync(DRAWS_FILE!, `${bytes.toString('hex')}\n`);
  return bytes;
}

if (DRAWS_FILE) {
  crypto.randomBytes = recorded as typeof draw;
  syncBuiltinESMExports();
}
