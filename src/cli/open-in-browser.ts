import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { CommandFailed } from '../base/command-failed.ts';

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', '""'],
};

/** How long the browser has to read the file. */
const READ_MS = 10_000;

const NOT_OPENED = 'the browser could not be opened: run the command without --open, and open the link by hand';

/** Starts the program that opens an address. */
async function open(address: string): Promise<void> {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  await new Promise<void>((done, fail) => {
    const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
    child.once('spawn', done).once('error', () => fail(new CommandFailed(NOT_OPENED)));
    child.unref();
  });
}

/**
 * Opens a link that holds a secret. Other users of this machine see the arguments of a program. So the browser gets the link
 * from a file that only this user may read.
 */
export async function openInBrowser(link: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-console-'));
  try {
    const file = join(folder, 'open.html');
    const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${link}"><title>Countersign</title>\n`;
    writeFileSync(file, page, { mode: 0o600, flag: 'wx' });
    await open(pathToFileURL(file).href);
    await setTimeout(READ_MS);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
