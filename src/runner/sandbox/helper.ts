import type { ChildProcess } from 'node:child_process';

const READY_MS = 10_000;

/** Of the processes of Node.js beside apps. */
export const NODE_FLAGS = ['--max-old-space-size=32', '--max-semi-space-size=1', '--disable-warning=ExperimentalWarning'];

/** Resolves once the process has written to its standard output. Otherwise kills it, and throws what it says. */
export async function ready(child: ChildProcess): Promise<void> {
  child.stdin!.on('error', () => {});
  let message = '';
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
    if (message.length < 4096) message += chunk;
  });
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('it was not ready in time')), READY_MS);
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
}
