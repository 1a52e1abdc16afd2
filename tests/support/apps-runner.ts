// with others: its processes end with the file.
/** The real runner as a process of its own, in a mount namespace without the service's folder. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { guard } from './guard.ts';

const CLI = fileURLToPath(new URL('../../scripts/countersign.mjs', import.meta.url));
/** The rights that docs/operating/apps-runner.md names. With the last, control groups can be written that are not writable for their owner. */
const RIGHTS = '-all,+setuid,+setgid,+setpcap,+kill,+sys_admin,+sys_ptrace,+dac_override';
const HIDING = `mount -t tmpfs none "$DATA_DIR" && exec setpriv --bounding-set ${RIGHTS} -- "$@"`;

export type RunnerProcess = {
  child: ChildProcess;
  output(): string;
  /** Waits until its output has this, from a place on. */
  shows(pattern: RegExp, from?: number): Promise<RegExpExecArray>;
  exited: Promise<number | null>;
  folder: string;
  firstUid: number;
};

const UIDS = 100;
/** How long a runner may say nothing that is waited for. */
const SHOWS_MS = 60_000;

const running = new Set<ChildProcess>();
const folders: string[] = [];
after(async () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

let started = 0;

/** `like`: an earlier runner whose folder and user IDs it takes over. */
type Options = { hides?: boolean; like?: RunnerProcess; uid?: number | undefined };

/** Each has user IDs and a folder of its own. */
export function startRunner(env: Record<string, string>, { hides = true, like, uid }: Options = {}): RunnerProcess {
  const firstUid = like?.firstUid ?? 1_990_010_000 + UIDS * ((process.pid % 1000) * 10 + started++);
  // The path of a socket is short.
  const folder = like?.folder ?? mkdtempSync('/tmp/cs-runner-');
  // The forwarders' user goes through it.
  chmodSync(folder, 0o711);
  folders.push(folder);
  const command = [process.execPath, CLI, 'runner'];
  const [program, ...args] = hides ? ['unshare', '--mount', 'sh', '-c', HIDING, 'sh', ...command] : command;
  const child = spawn(program!, args, {
    env: {
      PATH: process.env.PATH!,
      APPS_RUNNER: 'on',
      APPS_FOLDER: join(folder, 'run'),
      APPS_UIDS: `${firstUid}-${firstUid + UIDS - 1}`,
      APPS_PORT: '0',
      APPS_MEMORY_MB: '32',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
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
    firstUid,
    output: () => text,
    async shows(pattern, from = 0) {
      for (;;) {
        const match = pattern.exec(text.slice(from));
        if (match) return match;
        if (ended) throw new Error(`the runner ended, and never showed ${pattern}: ${text}`);
        const late = setTimeout(() => child.kill('SIGKILL'), SHOWS_MS);
        await change.promise;
        clearTimeout(late);
      }
    },
  };
}

/** The processes of this runner's users: of apps, of their sandboxes, and of forwarders. `program`: these alone. */
export function appProcesses({ firstUid }: Pick<RunnerProcess, 'firstUid'>, program?: string): number[] {
  const isOurs = (pid: string): boolean => {
    try {
      const { uid } = statSync(`/proc/${pid}`);
      if (uid < firstUid || uid >= firstUid + UIDS) return false;
      return program === undefined || readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`${program}\0`);
    } catch {
      return false;
    }
  };
  return readdirSync('/proc')
    .filter((one) => /^\d+$/.test(one) && isOurs(one))
    .map(Number);
}

/** An answer through the runner's port, by the name of the app's host. */
export async function askApp(runner: RunnerProcess, appId: string, path = '/'): Promise<{ status: number; body: string }> {
  const port = Number((await runner.shows(/"port":(\d+)/))[1]);
  const host = `app-${appId}.localhost`;
  return new Promise((resolve, reject) => {
    const sent = request({ port, path, headers: { host }, agent: false, timeout: 10_000 }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.once('end', () => resolve({ status: response.statusCode!, body }));
    });
    sent.once('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.once('error', reject).end();
  });
}

/** The kernel ends the processes of a killed runner. */
export async function gone(runner: RunnerProcess): Promise<void> {
  for (let waits = 0; appProcesses(runner).length > 0; waits += 1) {
    assert.ok(waits < 200, 'processes of the killed runner are left');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
