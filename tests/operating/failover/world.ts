/** Two processes on two PostgreSQL servers, one of which follows the other. The primary ends again and again while they sign and send. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startAnvil } from '../../support/anvil.ts';
import { type ServiceProcess, startProcess } from '../../support/process.ts';
import { seeded } from '../../support/seeded.ts';
import { LOAD_SETTINGS, type Load, type Settled, startLoad } from '../silence/load.ts';
import { type End, type Servers, startServers } from './servers.ts';

/** How soon each process must acknowledge a signature after the primary's end. */
const FOLLOWS_MS = 30_000;

/** Times in milliseconds since the primary ended. `signedMs`: the first signature of each process that began after that. */
export type Failover = { how: End; promotedMs: number; signedMs: number[]; landedMs: number };

export type Failovers = {
  /** Ends the primary after some load. The next call does so to the server that was promoted. */
  failover(how: End): Promise<Failover>;
  settled(sends: number): Promise<Settled>;
  stop(): Promise<void>;
};

export async function startFailovers(seed: number): Promise<Failovers> {
  const random = seeded(seed);
  const folder = mkdtempSync(join(tmpdir(), 'countersign-failover-'));
  const services: ServiceProcess[] = [];
  let servers: Servers | undefined;
  let anvil: Awaited<ReturnType<typeof startAnvil>> | undefined;

  async function stop(): Promise<void> {
    for (const { child } of services) child.kill('SIGKILL');
    await Promise.all(services.map(({ exited }) => exited));
    await anvil?.stop();
    await servers?.stop();
    rmSync(folder, { recursive: true, force: true });
  }

  async function start(): Promise<Load> {
    servers = await startServers();
    anvil = await startAnvil('--order', 'fifo');
    const env = {
      DATA_DIR: folder,
      DATABASE_URL: servers.url,
      DATABASE_POOL: '8',
      RPC_URL_EIP155_31337: anvil.url,
      ...LOAD_SETTINGS,
    };
    while (services.length < 2) {
      const service = await startProcess(env);
      services.push(service);
      await service.ready();
    }
    return startLoad({ services, chainUrl: anvil.url, random });
  }

  const load = await start().catch(async (error) => {
    await stop();
    throw error;
  });
  const { promote, rebuild, primaryUrl } = servers!;

  async function failover(how: End): Promise<Failover> {
    await Promise.race([sleep(random(2_000)), load.broken]);
    const begun = performance.now();
    const since = () => performance.now() - begun;
    const promoted = promote(how).then(since);
    const signed = services.map((service) => load.sign(service).then(since));
    const landed = load.send().then(load.landed).then(since);
    const all = Promise.all([promoted, landed, ...signed]);
    const [promotedMs, landedMs, ...signedMs] = (await Promise.race([all, load.broken])) as [number, number, ...number[]];
    for (const ms of signedMs) assert.ok(ms < FOLLOWS_MS, `a process followed after ${ms} ms`);
    await Promise.race([rebuild(), load.broken]);
    return { how, promotedMs, signedMs, landedMs };
  }

  return { failover, settled: (sends) => load.settled(sends, primaryUrl()), stop };
}
