import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { type Answer, type Client, clientOf, newKeys, resultOf, submitUntilAnswered, userWith } from '../support/client.ts';
import { engineName, freshMigrated, keptSql } from '../support/database.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { type Dump, openDump, type Rows } from '../support/world/dump.ts';

/** Where many ask at once: an organization, and a client of its root user at each process. */
export type Arena = { clients: readonly Client[]; userId: string };

export type Races = {
  /** A new sub-organization. */
  arena(): Promise<Arena>;
  /** The root organization. */
  top(): Promise<Arena>;
  /** Runs SQL past the services, with $1, $2 … for parameters. */
  raw(sql: string, ...parameters: unknown[]): Promise<Record<string, unknown>[]>;
  /** Rows of an organization in each table but those that record what was asked. */
  count(arena: Arena): Promise<Record<string, number>>;
};

/** Also the records of refused activities, and the state of messages after theirs. */
const RECORD = new Set(['activities', 'votes', 'audit', 'outbox', 'email_events']);

const counted = (rows: Rows): Record<string, number> =>
  Object.fromEntries([...rows].filter(([table]) => !RECORD.has(table)).map(([table, all]) => [table, all.length]));

/** Two real processes on one PostgreSQL database, or one on SQLite, for all tests of a file. */
export function races(settings: Record<string, string>): Races {
  let dataDir: string;
  let database: Awaited<ReturnType<typeof freshMigrated>>;
  let services: ServiceProcess[] = [];
  let dump: Dump;
  let sql: ReturnType<typeof keptSql>;
  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'countersign-races-'));
    database = await freshMigrated(dataDir);
    const env = { ...settings, DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
    services = await Promise.all(Array.from({ length: engineName === 'postgres' ? 2 : 1 }, () => startProcess(env)));
    await Promise.all(services.map((service) => service.ready()));
    sql = keptSql({ folder: dataDir, url: database?.url });
    dump = await openDump({ dataDir, databaseUrl: database?.url });
  });
  after(async () => {
    await dump?.close();
    await sql?.close();
    for (const service of services) service.child.kill('SIGTERM');
    for (const service of services) await service.exited;
    await database?.drop();
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
  });
  const at = (client: Client): Client[] => services.map(({ url }) => clientOf(url, client.keys, client.organizationId));
  return {
    async arena() {
      const keys = newKeys();
      const root = services[0]!.root();
      const parameters = { subOrganizationName: 'Arena', rootQuorumThreshold: 1, rootUsers: [userWith('Arena', [keys])] };
      const made = resultOf(await root.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
      return { clients: at(root.as(keys, made.subOrganizationId)), userId: made.rootUserIds[0] };
    },
    async top() {
      const root = services[0]!.root();
      return { clients: at(root), userId: (await root.query('whoami')).body.userId };
    },
    raw: (text, ...parameters) => sql.raw(text, ...parameters),
    count: async ({ clients }) => counted(await dump.of([clients[0]!.organizationId])),
  };
}

export type Call = readonly [type: string, parameters: object];

/** All at once, by turns at each process. On a busy machine some are asked to send the same body again. */
export const atOnce = ({ clients }: Arena, calls: readonly Call[]): Promise<Answer[]> =>
  Promise.all(calls.map((call, i) => submitUntilAnswered(clients[i % clients.length]!, ...call)));
