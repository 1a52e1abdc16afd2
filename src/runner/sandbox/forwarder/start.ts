import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TOOLS_ENV } from '../launch.ts';
import type { Status } from '../status.ts';
import type { ForwarderSettings } from './settings.ts';

const READY_MS = 10_000;
const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const NODE_FLAGS = ['--max-old-space-size=32', '--max-semi-space-size=1', '--disable-warning=ExperimentalWarning'];

/** The app's network namespace as an open file. Throws if the process has gone and its number has another. */
function openNetNamespace({ pid, netNamespace }: Status): number {
  const fd = openSync(`/proc/${pid}/ns/net`, 'r');
  if (netNamespace === undefined || fstatSync(fd).ino === netNamespace) return fd;
  closeSync(fd);
  throw new Error('the app has ended');
}

/** Resolves once each socket listens. */
export async function startForwarder(of: Status, settings: ForwarderSettings): Promise<ChildProcess> {
  const namespace = openNetNamespace(of);
  const command = ['--net=/proc/self/fd/3', '--', process.execPath, ...NODE_FLAGS, MAIN, JSON.stringify(settings)];
  const child = spawn('nsenter', command, { cwd: '/', env: TOOLS_ENV, stdio: ['pipe', 'pipe', 'pipe', namespace] });
  closeSync(namespace);
  child.stdin!.on('error', () => {});
  let message = '';
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
    if (message.length < 4096) message += chunk;
  });
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('it did not listen in time')), READY_MS);
      child.stdout!.once('data', () => resolve());
      child.once('error', reject);
      child.once('close', () => reject(new Error(message.trim() || 'it ended')));
      child.once('close', () => clearTimeout(timer));
      child.stdout!.once('data', () => clearTimeout(timer));
    });
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return child;
}
