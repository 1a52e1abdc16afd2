// with others: each command ends before its test.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type App, createApp } from '../../src/app/compose.ts';
import { readConfig } from '../../src/config.ts';
import { type Client, clientOf } from './client.ts';
import { freshMigrated, rawSql } from './database.ts';
import { freePort } from './free-port.ts';
import { passed, usageSummed } from './usage-summed.ts';

const CLI = fileURLToPath(new URL('../../scripts/countersign.mjs', import.meta.url));

export const DAY = 24 * 60 * 60 * 1000;
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export type Outcome = { code: number | null; text: string; complaint: string };

/** A service that can be stopped and started on its database, with a clock that begins ten days ago. */
export type Archiving = {
  dataDir: string;
  env: Record<string, string>;
  root: Client;
  clock: { now(): number };
  /** The machine's time, from now on. */
  toPresent(): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Runs `countersign archive`. `onProgress`: called with each line on standard error, with a way to kill it. */
  archive(args: readonly string[], onProgress?: (kill: () => void) => void): Promise<Outcome>;
  /** Archives without a service where the engine needs that, and beside it elsewhere. */
  archiveBetween(args: readonly string[]): Promise<Outcome>;
  raw(sql: string, ...parameters: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
};

export async function startArchiving(): Promise<Archiving> {
  const dataDir = mkdtempSync(join(tmpdir(), 'countersign-archive-'));
  const database = await freshMigrated(dataDir);
  const port = await freePort();
  const env = { DATA_DIR: dataDir, USAGE_INTERVAL_SECONDS: '1', ...(database ? { DATABASE_URL: database.url } : {}) };
  let ahead = -10 * DAY;
  const clock = { now: () => Date.now() + ahead };
  const elapsed = { now: () => performance.now() + ahead };
  let app: App | undefined;
  const start = async () => {
    app = await createApp(readConfig({ ...env, PORT: String(port), LOG_LEVEL: 'fatal', DEV_OUTBOX: '1' }), {
      machine: clock,
      elapsed,
    });
    await app.http.listen({ host: '127.0.0.1', port });
  };
  const raw: Archiving['raw'] = (sql, ...parameters) => rawSql({ folder: dataDir, url: database?.url }, sql, parameters);
  const workersPassed = async () => {
    await usageSummed(raw);
    await passed(raw, 'audit_place');
  };
  const stop = async () => {
    // On PostgreSQL, a transaction of another database may keep the last steps from passing all.
    if (app !== undefined) await workersPassed();
    await app?.close();
    app = undefined;
  };
  const archive: Archiving['archive'] = async (args, onProgress) => {
    // Only activities that both workers have passed are archived.
    await workersPassed();
    return new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [CLI, 'archive', ...args],
        { env: { PATH: process.env.PATH, ...env } },
        (error, text, complaint) =>
          resolve({ code: error === null ? 0 : ((error.code as number | undefined) ?? null), text, complaint }),
      );
      if (onProgress) child.stderr!.on('data', () => onProgress(() => child.kill('SIGKILL')));
    });
  };
  await start();
  const { apiPublicKey, apiPrivateKey, organizationId } = JSON.parse(
    readFileSync(join(dataDir, 'root-credentials.json'), 'utf8'),
  );
  const keys = { publicKey: apiPublicKey, privateKey: apiPrivateKey };
  return {
    dataDir,
    env,
    root: clientOf(`http://127.0.0.1:${port}`, keys, organizationId, clock.now),
    clock,
    toPresent: () => {
      ahead = 0;
    },
    start,
    stop,
    archive,
    async archiveBetween(args) {
      if (database) return archive(args);
      await stop();
      const outcome = await archive(args);
      await start();
      return outcome;
    },
    raw,
    async close() {
      await stop();
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
