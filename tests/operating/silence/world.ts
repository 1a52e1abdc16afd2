/** Two processes on one PostgreSQL behind a proxy that makes connections silent, while they send, sign and change things. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startAnvil } from '../../support/anvil.ts';
import { type ServiceProcess, startProcess } from '../../support/process.ts';
import { seeded } from '../../support/seeded.ts';
import { startSilentProxy } from '../../support/silent-proxy.ts';
import { LOAD_SETTINGS, type Settled, startLoad } from './load.ts';

/** What the issue of such connections asks for, whatever the time-outs are. */
const READY_MS = 2_000;
const SENDING_MS = 30_000;
/** A machine that is busy with other tests answers a second later. */
const SLACK_MS = 1_000;
export type Moment = { how: string; sendingMs: number; ready: string[] };

export type Silences = {
  /** Makes all connections silent after some load, and looks at what follows. */
  moment(): Promise<Moment>;
  /** Ends the load after at least `sends` sends. Each accepted activity must exist once. Gives the counts. */
  settled(sends: number): Promise<Settled>;
  stop(): Promise<void>;
};

type Options = { seed: number; statementSeconds?: number };

export async function startSilences(
  database: { url: string; drop(): Promise<void> },
  { seed, statementSeconds = 1 }: Options,
): Promise<Silences> {
  const random = seeded(seed);
  const folder = mkdtempSync(join(tmpdir(), 'countersign-silence-'));
  const proxy = await startSilentProxy(database.url);
  const anvil = await startAnvil('--order', 'fifo');
  const env = {
    DATA_DIR: folder,
    DATABASE_URL: proxy.url,
    DATABASE_POOL: '8',
    DATABASE_STATEMENT_SECONDS: String(statementSeconds),
    RPC_URL_EIP155_31337: anvil.url,
    ...LOAD_SETTINGS,
  };
  const services: ServiceProcess[] = [];

  async function stop(): Promise<void> {
    for (const { child } of services) child.kill('SIGKILL');
    await Promise.all(services.map(({ exited }) => exited));
    await anvil.stop();
    await proxy.stop();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  }

  async function start(): Promise<void> {
    while (services.length < 2) {
      const service = await startProcess(env);
      services.push(service);
      await service.ready();
    }
  }

  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  const { broken, send, landed, settled } = await startLoad({ services, chainUrl: anvil.url, random });

  /** What /ready says, in time. */
  async function ready({ url }: ServiceProcess): Promise<string> {
    const begun = performance.now();
    const answer = await fetch(`${url}/ready`);
    const { reason } = (await answer.json()) as { reason?: string };
    const took = performance.now() - begun;
    assert.ok(took < READY_MS + SLACK_MS, `/ready took ${took} ms`);
    if (answer.status === 503) assert.match(reason ?? '', /the database/);
    return reason ?? 'ready';
  }

  async function moment(): Promise<Moment> {
    await Promise.race([sleep(random(2_000)), broken]);
    const how = random(3) === 0 ? 'answers' : 'both';
    proxy.silence(how);
    const begun = performance.now();
    const heard = Promise.all(services.map(ready));
    const sending = async () => {
      await landed(await send());
      return performance.now() - begun;
    };
    const sendingMs = await Promise.race([sending(), broken]);
    assert.ok(sendingMs < SENDING_MS + SLACK_MS, `sending went on after ${sendingMs} ms`);
    return { how, sendingMs, ready: await heard };
  }

  return { moment, settled: (sends) => settled(sends, database.url), stop };
}
