// What set-up tells on standard error.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A problem that is reported in one sentence, without a stack. */
export class SetupError extends Error {}

export const say = (text) => process.stderr.write(`countersign: ${text}\n`);

export function bytesIn(folder) {
  let bytes = 0;
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      bytes += entry.isDirectory() ? bytesIn(path) : lstatSync(path).size;
    }
  } catch {
    // npm moves files meanwhile.
  }
  return bytes;
}

/** Runs an installation of some `megabytes` into a folder. A terminal shows meanwhile how much of it is there. */
export async function step(text, { megabytes, folder }, work) {
  say(`${text}, some ${megabytes} MB`);
  const started = Date.now();
  const there = () => Math.round(bytesIn(folder) / 1e6);
  const seconds = () => Math.round((Date.now() - started) / 1000);
  let timer;
  const show = () => {
    const before = Date.now();
    process.stderr.write(`\r\x1b[K  ${there()} of some ${megabytes} MB, ${seconds()} s`);
    // Counting files must not slow their installation.
    timer = setTimeout(show, 1000 + 5 * (Date.now() - before));
  };
  const { isTTY } = process.stderr;
  if (isTTY) show();
  try {
    await work();
  } finally {
    clearTimeout(timer);
    if (isTTY) process.stderr.write('\r\x1b[K');
  }
  say(`installed ${there()} MB in ${seconds()} s`);
}
