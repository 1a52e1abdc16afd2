// with others: its process ends with the file.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

const HOST = fileURLToPath(new URL('./cli-host.ts', import.meta.url));
const NODE_COMPILE_CACHE = fileURLToPath(new URL('../../.cache/compile', import.meta.url));

export type CliRun = { args: string[]; env: Record<string, string | undefined>; cwd: string; umask: number; input: string };
export type CliRan = { code: number; out: string; err: string };

let host: ChildProcess | undefined;
let last: Promise<unknown> = Promise.resolve();

after(() => host?.kill());

async function started(): Promise<ChildProcess> {
  const child = fork(HOST, { env: { PATH: process.env.PATH, NODE_COMPILE_CACHE }, execArgv: [] });
  await once(child, 'message');
  return child;
}

async function answered(asked: CliRun): Promise<CliRan> {
  host ??= await started();
  host.ref();
  host.channel?.ref();
  const ended = new AbortController();
  const { signal } = ended;
  const ran = once(host, 'message', { signal }).then(([ran]) => ran as CliRan);
  const died = once(host, 'exit', { signal }).then(([code]): never => {
    host = undefined;
    throw new Error(`countersign ${asked.args.join(' ')} ended its process with code ${code}`);
  });
  died.catch(() => {});
  ran.catch(() => {});
  try {
    host.send(asked);
    return await Promise.race([ran, died]);
  } finally {
    ended.abort();
    // Between commands it does not keep the test's process.
    host?.unref();
    host?.channel?.unref();
  }
}

/**
 * Runs `countersign ARGS`. All commands of a test file share one process, since its start takes longer than most commands.
 * Only `env` and PATH are set. `input`: what it reads on standard input.
 */
export function cli(
  args: readonly string[],
  { env = {}, cwd = process.cwd(), umask = 0o022, input = '' }: Partial<CliRun> = {},
): Promise<CliRan> {
  const asked = { args: [...args], env: { PATH: process.env.PATH, ...env }, cwd, umask, input };
  const ran = last.then(() => answered(asked));
  last = ran.catch(() => {});
  return ran;
}
