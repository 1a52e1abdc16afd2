import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { createApp } from '../../src/app/compose.ts';
import type { Surroundings } from '../../src/app/ground.ts';
import type { RootCredentials } from '../../src/app/root-credentials.ts';
import { readConfig } from '../../src/config.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { apiKey, type Client, clientOf, type Keys, newKeys, resultOf, userWith } from './client.ts';
import { freshMigrated, keptSql } from './database.ts';

/** The machine's clock. `advance` lets time pass; `set` moves the clock only, to so far ahead of the right time. */
export type TestClock = { now(): number; advance(ms: number): void; set(ahead: number): void };

export type Instance = {
  url: string;
  dataDir: string;
  /** Undefined on SQLite. */
  databaseUrl: string | undefined;
  credentials: RootCredentials;
  /** For changes that no operation makes yet. */
  engine: Engine;
  clock: TestClock;
  /** Stamps as the root user. */
  root: Client;
  /** A user without any permission, in the root organization. */
  newUser(name: string, more?: object): Promise<{ client: Client; userId: string; keys: Keys }>;
  /** A sub-organization with these root users' keys. */
  newSubOrganization(
    name: string,
    users: number,
    threshold: number,
  ): Promise<{ organizationId: string; clients: Client[]; userIds: string[] }>;
  /** Runs SQL past the service, with $1, $2 … for parameters. */
  raw(sql: string, ...parameters: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
};

/** The service in this process, on the engine that this run is for, with a database of its own. */
export async function startInstance(
  env: Record<string, string> = {},
  surroundings: Pick<Surroundings, 'output'> = {},
): Promise<Instance> {
  const dataDir = mkdtempSync(join(tmpdir(), 'countersign-'));
  const database = await freshMigrated(dataDir);
  let passed = 0;
  let wrong = 0;
  // Both use one clock: a machine's two drift apart, and the service's time would run slower by the difference.
  const begun = Date.now() - performance.now();
  const clock: TestClock = {
    now: () => Math.floor(begun + performance.now()) + passed + wrong,
    advance: (ms) => {
      passed += ms;
    },
    set: (ahead) => {
      wrong = ahead;
    },
  };
  const elapsed = { now: () => performance.now() + passed };
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'fatal',
    RATE_UNSTAMPED: 'off',
    // A start would compare the built frames with their sources.
    FRAMES: 'none',
    // Mails are kept for tests to read, unless a test sets a mail server.
    ...(env.SMTP_URL ? {} : { DEV_OUTBOX: '1' }),
    ...(database ? { DATABASE_URL: database.url } : {}),
    ...env,
  });
  const faults: string[] = [];
  const fault: Engine['fault'] = (operation, { code, message }) =>
    void faults.push(`${operation} does not list ${code}: ${message}`);
  let engine!: Engine;
  const built = (made: Engine): void => {
    engine = made;
  };
  const app = await createApp(config, { machine: clock, elapsed, fault, built, ...surroundings });
  const url = await app.http.listen({ host: config.host, port: 0 });
  const credentials = JSON.parse(readFileSync(join(dataDir, 'root-credentials.json'), 'utf8')) as RootCredentials;
  const keys = { publicKey: credentials.apiPublicKey, privateKey: credentials.apiPrivateKey };
  const root = clientOf(url, keys, credentials.organizationId, clock.now);
  const sql = keptSql({ folder: dataDir, url: database?.url });
  return {
    url,
    dataDir,
    databaseUrl: database?.url,
    credentials,
    engine,
    clock,
    root,
    async newUser(name, more = {}) {
      const mine = newKeys();
      const users = [{ ...userWith(name, [mine]), userTags: [], ...more }];
      const { userIds } = resultOf(await root.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
      return { client: root.as(mine), userId: userIds[0], keys: mine };
    },
    async newSubOrganization(name, users, threshold) {
      const all = Array.from({ length: users }, newKeys);
      const parameters = {
        subOrganizationName: name,
        rootQuorumThreshold: threshold,
        rootUsers: all.map((k, i) => userWith(`${name} ${i}`, [k])),
      };
      const made = resultOf(await root.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
      return {
        organizationId: made.subOrganizationId,
        userIds: made.rootUserIds,
        clients: all.map((k) => root.as(k, made.subOrganizationId)),
      };
    },
    raw: sql.raw,
    async close() {
      await sql.close();
      await app.close();
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
      assert.deepEqual(faults, [], 'operations answer with the codes that they list');
    },
  };
}

/** An instance that all tests of a file share, closed after the last. Preparation of a file belongs in `before`. */
export async function sharedInstance(env: Record<string, string> = {}): Promise<Instance> {
  const instance = await startInstance(env);
  after(() => instance.close());
  return instance;
}

export { apiKey };
