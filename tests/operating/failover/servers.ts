/** Two PostgreSQL servers: a primary, and a standby that every commit waits for. Each keeps its address through all promotions. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type Postgres, type PostgresOptions, startPostgres } from '../../support/postgres.ts';
import { waitFor } from '../../support/wait.ts';

/** How a primary ends. `frozen`: its connections stay open and silent until the standby was promoted, as in a partition. */
export type End = 'killed' | 'frozen' | 'stopped';

export type Servers = {
  /** The database on both servers. */
  url: string;
  /** The database on the server that is the primary now. */
  primaryUrl(): string;
  /** Runs SQL on the primary. */
  asked(...texts: string[]): Promise<Record<string, unknown>[]>;
  /** Whether the standby confirms commits. */
  holdStandby(on: boolean): void;
  /** Ends the primary, and promotes the standby. From then on commits wait for no standby, as Patroni arranges it. */
  promote(how: End): Promise<void>;
  /** Makes the server that ended a standby of the new primary. Resolves when commits wait for it again. */
  rebuild(): Promise<void>;
  stop(): Promise<void>;
};

const OPTIONS: PostgresOptions = {
  fsync: 'off',
  more: { dynamic_shared_memory_type: 'mmap', wal_keep_size: '256MB', wal_receiver_status_interval: '1s' },
};

async function started(options: PostgresOptions): Promise<Postgres> {
  const server = await startPostgres(options);
  if ('unavailable' in server) throw new Error(`no PostgreSQL: ${server.unavailable}`);
  return server;
}

async function asked(url: string, ...texts: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const text of texts) rows = (await client.query(text)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

const waitForStandby = (names: string) => [`ALTER SYSTEM SET synchronous_standby_names = '${names}'`, 'SELECT pg_reload_conf()'];

/** The server's first process and its children: each of them leads a session of its own. */
function processesOf({ pid }: Postgres): number[] {
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return new RegExp(`^PPid:\\s+${pid}$`, 'm').test(readFileSync(`/proc/${name}/status`, 'utf8'));
    } catch {
      return false;
    }
  });
  return [pid, ...children.map(Number)];
}

function signal(server: Postgres, name: NodeJS.Signals): void {
  for (const pid of processesOf(server)) {
    try {
      process.kill(pid, name);
    } catch {
      // It ended meanwhile.
    }
  }
}

/** A server that was killed leaves its segment of shared memory, whose number is in its lock file. */
function kill(server: Postgres): void {
  const lock = readFileSync(join(server.data, 'postmaster.pid'), 'utf8').split('\n');
  signal(server, 'SIGKILL');
  const segment = lock[6]?.trim().split(/\s+/)[1];
  if (segment !== undefined) spawnSync('ipcrm', ['-m', segment], { stdio: 'ignore' });
}

export async function startServers(): Promise<Servers> {
  let primary = await started(OPTIONS);
  let standby: Postgres | undefined;
  const stop = async () => {
    await standby?.stop();
    await primary.stop();
  };
  try {
    const first = await primary.createDatabase();
    const own = (server: Postgres) => first.replace(new URL(first).host, new URL(server.url).host);
    const follow = async (port: number | undefined) => {
      standby = await started({ ...OPTIONS, standbyOf: primary, ...(port === undefined ? {} : { port }) });
      await asked(primary.url, ...waitForStandby('*'));
      await waitFor('commits wait for the standby', async () => {
        const [row] = await asked(primary.url, 'SELECT state, sync_state FROM pg_stat_replication');
        return row?.state === 'streaming' && row.sync_state === 'sync';
      });
      // This commit waits for the standby, and so for all commits before it.
      await asked(primary.url, "SELECT pg_logical_emit_message(true, 'countersign', '')");
    };
    await follow(undefined);
    const hosts = [primary, standby!].map(({ url }) => new URL(url).host);
    const primaryUrl = () => own(primary);
    let ended: Postgres | undefined;
    let isFrozen = false;
    return {
      url: first.replace(hosts[0]!, hosts.join(',')),
      primaryUrl,
      asked: (...texts) => asked(primaryUrl(), ...texts),
      holdStandby: (on) => signal(standby!, on ? 'SIGSTOP' : 'SIGCONT'),
      stop: async () => {
        if (ended !== undefined && isFrozen) kill(ended);
        await ended?.stop();
        await stop();
      },
      async promote(how) {
        ended = primary;
        isFrozen = how === 'frozen';
        if (how === 'killed') kill(primary);
        if (how === 'frozen') signal(primary, 'SIGSTOP');
        if (how === 'stopped') await primary.stop();
        primary = standby!;
        standby = undefined;
        await asked(primary.url, 'SELECT pg_promote(true, 60)', ...waitForStandby(''));
      },
      async rebuild() {
        if (ended === undefined) throw new Error('no server ended');
        const port = Number(new URL(ended.url).port);
        // A primary that only seems dead must never take writes again.
        if (isFrozen) kill(ended);
        await ended.stop();
        ended = undefined;
        await follow(port);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
