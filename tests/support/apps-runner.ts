// with others: its processes end with the file.
/** The real runner as a process of its own, in a mount namespace without the service's folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { guard } from './guard.ts';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
const HIDING = 'mount -t tmpfs none "$DATA_DIR" && exec "$@"';

export type RunnerProcess = {
  child: ChildProcess;
  output(): string;
  /** Waits until its output has this, from a place on. */
  shows(pattern: RegExp, from?: number): Promise<RegExpExecArray>;
  exited: Promise<number | null>;
  folder: string;
};

const running = new Set<ChildProcess>();
const folders: string[] = [];
after(async () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

let started = 0;

/** Each has user IDs and a folder of its own. */
export function startRunner(env: Record<string, string>, { hides = true } = {}): RunnerProcess {
  const first = 1_990_010_000 + 100 * ((process.pid % 1000) * 10 + started++);
  // The path of a socket is short.
  const folder = mkdtempSync('/tmp/cs-runner-');
  folders.push(folder);
  const command = [process.execPath, CLI, 'runner'];
  const [program, ...args] = hides ? ['unshare', '--mount', 'sh', '-c', HIDING, 'sh', ...command] : command;
  const child = spawn(program!, args, {
    env: {
      PATH: process.env.PATH!,
      APPS_RUNNER: 'on',
      APPS_FOLDER: join(folder, 'run'),
      APPS_UIDS: `${first}-${first + 99}`,
      APPS_PORT: '0',
      APPS_MEMORY_MB: '32',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  guard(child);
  let text = '';
  let change = Promise.withResolvers<void>();
  const changed = () => {
    change.resolve();
    change = Promise.withResolvers();
  };
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk) => {
      text += chunk;
      changed();
    });
  let ended = false;
  const exited = new Promise<number | null>((resolve) =>
    child.on('close', (code) => {
      ended = true;
      running.delete(child);
      changed();
      resolve(code);
    }),
  );
  return {
    child,
    exited,
    folder,
    output: () => text,
    async shows(pattern, from = 0) {
      for (;;) {
        const match = pattern.exec(text.slice(from));
        if (match) return match;
        if (ended) throw new Error(`the runner ended, and never showed ${pattern}: ${text}`);
        await change.promise;
      }
    },
  };
}
