import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';

const FOLDER = resolve(import.meta.dirname, '../../.cache/services');
const EVERY_MS = 5_000;

/** What the file has once the service listens: set-up builds the console then. */
const LISTENS = 'listening';

/**
 * Announces, while this process lives, that a service runs from this folder, so that its packages are not replaced
 * (scripts/setup/held.mjs). Without write access to the folder, the service runs unannounced. The result is called when it listens.
 */
export function announceService(): () => void {
  const file = join(FOLDER, `${process.pid}-${hostname()}`);
  let content = '';
  const write = () => {
    try {
      writeFileSync(file, content);
    } catch {}
  };
  try {
    mkdirSync(FOLDER, { recursive: true, mode: 0o755 });
  } catch {}
  write();
  setInterval(write, EVERY_MS).unref();
  process.once('exit', () => rmSync(file, { force: true }));
  return () => {
    content = LISTENS;
    write();
  };
}
