import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addPeople, writeFloorsPerson } from './logins.ts';
import { createAccount, submit, withUser } from './prepare.ts';
import { requestsOf } from './requests.ts';
import { newCredentials, readCredentials } from './stamp.ts';
import type { Servers, Workload } from './types.ts';
import { signRawPayload } from './workloads.ts';

const { serviceFlags, SERVICE_ENVIRONMENT } = (await import(
  new URL('../scripts/setup/service-node.mjs', import.meta.url).href
)) as { serviceFlags(env: Record<string, string | undefined>): string[]; SERVICE_ENVIRONMENT: Record<string, string> };

/** Everything is fresh: the folder is empty, and so is the database. `env`: more settings of a service in this folder. */
export type Place = {
  processes: number;
  databaseUrl: string | undefined;
  env?: ((folder: string) => Record<string, string>) | undefined;
};

const READY_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 10_000;

const running = new Set<ChildProcess>();
const folders = new Set<string>();

/** Kills what runs and removes its files, without waiting. */
export function abandon(): void {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
process.on('exit', abandon);

/** Starts this Node.js with little of our environment, so that no setting of the shell changes what is measured. */
function start(args: string[], env: Record<string, string>, output: 'pipe' | number): ChildProcess {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, args, {
    env: { PATH, ...env },
    stdio: output === 'pipe' ? ['pipe', 'pipe', 'inherit'] : ['ignore', output, output],
  });
  running.add(child);
  child.on('exit', () => running.delete(child));
  return child;
}

export type Program = {
  /** Resolves when it has printed something, or has ended. */
  said: Promise<unknown>;
  /** Its whole output, when it has ended. */
  output: Promise<string>;
  /** Writes a line to its standard input, and ends that. */
  go(): void;
  end(): void;
};

export function startProgram(args: string[]): Program {
  const child = start(args, {}, 'pipe');
  let text = '';
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const said = new Promise((resolve) => child.stdout!.once('data', resolve).once('close', resolve));
  const output = new Promise<string>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      code === 0 ? resolve(text) : reject(new Error(`${args[0]} ended with ${signal ?? code}`)),
    );
  });
  // The caller that awaits it gets a failure, also one before the start signal.
  output.catch(() => {});
  child.stdin!.on('error', () => {});
  return { said, output, go: () => void child.stdin!.end('go\n'), end: () => void child.kill('SIGTERM') };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

async function untilReady(child: ChildProcess, port: number, log: string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline && child.exitCode === null && child.signalCode === null) {
    const status = await fetch(`http://127.0.0.1:${port}/ready`).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`a server did not get ready; the end of what it wrote:\n${readFileSync(log, 'utf8').slice(-2000)}`);
}

async function stopAll(children: ChildProcess[]): Promise<void> {
  await Promise.all(
    children.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      const impatient = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      child.kill('SIGTERM');
      await gone;
      clearTimeout(impatient);
    }),
  );
}

type Launch = (port: number, index: number, folder: string) => { args: string[]; env: Record<string, string> };

/** A folder of its own, which `abandon` removes. */
export function freshFolder(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  folders.add(folder);
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
    folders.delete(folder);
  };
  return { folder, remove };
}

/** Starts servers on one fresh folder, one after the other, and cleans up if one of them does not start. */
async function launch(processes: number, prepare: (folder: string) => void, command: Launch) {
  const { folder, remove } = freshFolder();
  const children: ChildProcess[] = [];
  const stop = async () => {
    await stopAll(children);
    remove();
  };
  try {
    prepare(folder);
    const ports: number[] = [];
    for (let index = 0; index < processes; index++) {
      const port = await freePort();
      const log = join(folder, `server-${index}.log`);
      const { args, env } = command(port, index, folder);
      const output = openSync(log, 'w');
      const child = start(args, env, output);
      closeSync(output);
      children.push(child);
      await untilReady(child, port, log);
      ports.push(port);
    }
    return { folder, ports, pids: children.map((child) => child.pid!), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export const SHAPES = ['plain', 'threads', 'tuned'] as const;
/** Of the floor. `tuned`: Node.js runs it as it runs the service, and WebAssembly makes its hashes. */
export type Shape = (typeof SHAPES)[number];
export const isShape = (name: string): name is Shape => (SHAPES as readonly string[]).includes(name);

export async function startFloor(
  place: Place,
  shape: Shape,
  answerBytes: number,
  workload: Workload = signRawPayload,
): Promise<Servers> {
  const credentials = newCredentials('01900000-0000-7000-8000-000000000000');
  const program = fileURLToPath(new URL('floor.ts', import.meta.url));
  const started = await launch(
    place.processes,
    (folder) => writeFileSync(join(folder, 'credentials.json'), JSON.stringify(credentials), { mode: 0o600 }),
    (port, index, folder) => ({
      args: [
        ...(shape === 'tuned' ? serviceFlags({}) : []),
        program,
        `--port=${port}`,
        `--data-dir=${folder}`,
        `--public-key=${credentials.apiPublicKey}`,
        `--answer-bytes=${answerBytes}`,
        `--work=${workload.work}`,
        ...(shape === 'threads' ? ['--verify=async', '--writer=thread'] : []),
        ...(shape === 'tuned' ? ['--keccak=wasm'] : []),
        ...(place.databaseUrl === undefined ? [] : [`--database-url=${place.databaseUrl}`]),
        ...(index === 0 ? ['--create-table'] : []),
      ],
      env: shape === 'tuned' ? SERVICE_ENVIRONMENT : {},
    }),
  );
  const credentialsFile = join(started.folder, 'credentials.json');
  if (workload.login) writeFloorsPerson(credentialsFile);
  return { ...started, credentialsFile, signWith: workload.someAddress };
}

const environment = (port: number, folder: string, databaseUrl: string | undefined): Record<string, string> => ({
  PORT: String(port),
  HOST: '127.0.0.1',
  DATA_DIR: folder,
  // Room for the policies that a measurement adds to 10,000.
  LIMIT_POLICIES: '20000',
  // As npm start sets them.
  ...SERVICE_ENVIRONMENT,
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../.cache/compile', import.meta.url)),
  ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
});

/** The service on a folder that stays. */
export async function startOn(
  folder: string,
  databaseUrl: string | undefined,
  program: string,
  more: Record<string, string> = {},
): Promise<{ port: number; pid: number; stop(): Promise<void> }> {
  const port = await freePort();
  const log = join(folder, 'server.log');
  const output = openSync(log, 'w');
  const child = start([...serviceFlags({}), program], { ...environment(port, folder, databaseUrl), ...more }, output);
  closeSync(output);
  try {
    await untilReady(child, port, log);
  } catch (error) {
    await stopAll([child]);
    throw error;
  }
  return { port, pid: child.pid!, stop: () => stopAll([child]) };
}

/** The service with all that the workload needs; `answerBytes` is how long its answer to a request of it is. */
export async function startService(
  place: Place,
  program: string,
  workload: Workload = signRawPayload,
): Promise<Servers & { answerBytes: number }> {
  const started = await launch(
    place.processes,
    () => {},
    (port, _index, folder) => ({
      args: [...serviceFlags({}), program],
      env: { ...environment(port, folder, place.databaseUrl), ...place.env?.(folder) },
    }),
  );
  try {
    const credentialsFile = join(started.folder, 'root-credentials.json');
    const [port] = started.ports as [number, ...number[]];
    const signWith = await createAccount(port, readCredentials(credentialsFile), workload.account);
    const ready = { ...started, credentialsFile, signWith };
    const servers = workload.conditions === undefined ? ready : await withUser(ready, workload.conditions);
    if (workload.login) await addPeople(servers, workload.login.people, place.databaseUrl);
    // Dated before all that the load generator sends, so that it is a request of its own.
    const requestOf = await requestsOf(workload, servers.credentialsFile, signWith);
    const { body, stampedBy } = requestOf(0, Date.now() - 3_500_000);
    const { text } = await submit(port, stampedBy, workload.path, body);
    return { ...servers, answerBytes: Buffer.byteLength(text) };
  } catch (error) {
    await started.stop();
    throw error;
  }
}
