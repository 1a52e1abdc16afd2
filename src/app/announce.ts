import { mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';

const FOLDER = resolve(import.meta.dirname, '../../.cache/services');
const EVERY_MS = 5_000;

/** Identifies this process to `scripts/setup/services.mjs`. */
function self(): string {
  const { pid, platform } = process;
  if (platform !== 'linux') return `${pid}\n${hostname()}\n\n`;
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const started = readFileSync('/proc/self/stat', 'utf8').split(') ').pop()!.split(' ')[19];
  return `${pid}\n${boot} ${readlinkSync('/proc/self/ns/pid')}\n${started}\n`;
}

/** Announces, while this process lives, that a service runs from this folder, so that its packages are not replaced. */
export function announceService(): void {
  const file = join(FOLDER, `${process.pid}-${hostname()}`);
  try {
    const text = self();
    mkdirSync(FOLDER, { recursive: true, mode: 0o755 });
    writeFileSync(file, text);
    const write = () => {
      try {
        writeFileSync(file, text);
      } catch {}
    };
    setInterval(write, EVERY_MS).unref();
    process.once('exit', () => rmSync(file, { force: true }));
  } catch {
    // Without write access to the folder, the service runs unannounced.
  }
}
