import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';

const FOLDER = resolve(import.meta.dirname, '../../.cache/services');
const EVERY_MS = 5_000;

/** When this process started, in the form that `scripts/setup/services.mjs` expects. */
function started(): string {
  if (process.platform !== 'linux') return '';
  return readFileSync('/proc/self/stat', 'utf8').split(') ').pop()!.split(' ')[19]!;
}

/** Announces, while this process lives, that a service runs from this folder, so that its packages are not replaced. */
export function announceService(): void {
  const file = join(FOLDER, `${process.pid}-${hostname()}`);
  try {
    const text = `${process.pid}\n${started()}\n`;
    mkdirSync(FOLDER, { recursive: true, mode: 0o755 });
    writeFileSync(file, text);
    const again = () => {
      try {
        writeFileSync(file, text);
      } catch {}
    };
    setInterval(again, EVERY_MS).unref();
    process.once('exit', () => rmSync(file, { force: true }));
  } catch {
    // Without write access to the folder, the service runs unannounced.
  }
}
