// with others: its processes end with the file.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SETTINGS } from '../../src/config.ts';
import { CHAIN_SETTING } from '../../src/settings/names.ts';
import { type Client, clientOf } from './client.ts';
import { freePort } from './free-port.ts';
import { guard } from './guard.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export type ServiceProcess = {
  url: string;
  child: ChildProcess;
  output(): string;
  /** Waits until its output has this, and gives the match. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves once all of its output is here: with the exit code, or with null if a signal ended it. */
  exited: Promise<number | null>;
  /** Waits for /ready; throws with the output if the process ends first. */
  ready(): Promise<void>;
  root(): Client;
};

const running = new Set<ChildProcess>();

/** A test that fails leaves its service running, whose pipes would keep its file from ending. */
if (/\.test\.ts$|\/test\/share\.ts$/.test(process.argv[1] ?? ''))
  after(() => {
    for (const child of running) child.kill('SIGKILL');
  });

/** How long a start may take: far longer than any slow machine needs, and shorter than the runner waits. */
const READY_MS = 300_000;

/** This shell may have settings of another service: tests must not use its database and networks. */
const surroundings = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !(SETTINGS as readonly string[]).includes(name) && !CHAIN_SETTING.test(name)),
  );

/** Whether a process listens there. A refused `fetch` costs ten times as much, and a start waits for dozens. */
async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** The real service as a process of its own. `preload`: is loaded before it. `under`: a command that runs it. `main`: of another version. */
export async function startProcess(
  env: Record<string, string>,
  preload?: string,
  under: readonly string[] = [],
  main = MAIN,
): Promise<ServiceProcess> {
  const port = env.PORT === undefined ? await freePort() : Number(env.PORT);
  const [command, ...args] = [...under, process.execPath, ...(preload ? ['--import', preload] : []), main];
  const child = spawn(command!, args, {
    env: {
      ...surroundings(),
      LOG_LEVEL: 'warn',
      RATE_UNSTAMPED: 'off',
      ...(env.SMTP_URL ? {} : { DEV_OUTBOX: '1' }),
      ...env,
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
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
  guard(child);
  let ended = false;
  const exited = new Promise<number | null>((resolve) =>
    child.on('close', (code, signal) => {
      ended = true;
      if (signal !== null) text += `\n(ended by ${signal})`;
      running.delete(child);
      changed();
      resolve(code);
    }),
  );
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    child,
    exited,
    output: () => text,
    async shows(pattern) {
      for (;;) {
        const match = pattern.exec(text);
        if (match) return match;
        if (ended) throw new Error(`the service ended, and never showed ${pattern}: ${text}`);
        await change.promise;
      }
    },
    async ready() {
      const deadline = performance.now() + READY_MS;
      let isListening = false;
      while (performance.now() < deadline) {
        if (ended) throw new Error(`the service ended: ${text}`);
        isListening ||= await listens(port);
        const answer = isListening ? await fetch(`${url}/ready`).catch(() => undefined) : undefined;
        if (answer?.status === 200) return;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      child.kill('SIGKILL');
      throw new Error(`the service did not become ready: ${text}`);
    },
    root() {
      const made = JSON.parse(readFileSync(join(env.DATA_DIR!, 'root-credentials.json'), 'utf8'));
      return clientOf(url, { publicKey: made.apiPublicKey, privateKey: made.apiPrivateKey }, made.organizationId);
    },
  };
}
