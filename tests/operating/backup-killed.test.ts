import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type BackupPlace, backupPlace } from '../support/backups.ts';
import { cli } from '../support/cli.ts';
import { ethereumAccount } from '../support/client.ts';
import { type Fresh, freshDatabase, plainSql } from '../support/database.ts';
import { amount } from '../support/full.ts';
import { startProcess } from '../support/process.ts';
import { seeded } from '../support/seeded.ts';

const CLI = fileURLToPath(new URL('../../scripts/countersign.mjs', import.meta.url));
const next = seeded(Number(process.env.TEST_SEED ?? 1));

let place: BackupPlace;
let source: Fresh | undefined;
let env: Record<string, string>;
let file: string;

before(async () => {
  place = await backupPlace();
  source = await freshDatabase();
  env = { DATA_DIR: place.at('data'), ...(source ? { DATABASE_URL: source.url } : {}) };
  const service = await startProcess(env);
  await service.ready();
  const accounts = Array.from({ length: 50 }, (_, i) => ethereumAccount(i));
  for (let i = 0; i < amount(4, 10, 40); i++) await service.root().submit('CREATE_WALLET', { walletName: `W${i}`, accounts });
  service.child.kill('SIGTERM');
  await service.exited;
  file = place.at('copy.age');
  const made = await cli(['backup', '--out', file, '--recipient', place.recipient], { env });
  assert.equal(made.code, 0, made.err);
});
after(async () => {
  await source?.drop();
  place.remove();
});

/** Starts the command, and ends it by a signal at a random moment of its work. Returns whether it was too late. */
async function ended(args: readonly string[], own: Record<string, string>, signal: 'SIGKILL' | 'SIGINT', within: number) {
  const child = spawn(process.execPath, [CLI, ...args], { env: { PATH: process.env.PATH, ...own }, stdio: 'ignore' });
  const exited = once(child, 'exit');
  await Promise.race([pause(next(within), undefined, { ref: false }), exited]);
  child.kill(signal);
  const [code] = await exited;
  return code === 0;
}

/** How long the command takes when nothing ends it. */
async function duration(args: readonly string[], own: Record<string, string>): Promise<number> {
  const begun = performance.now();
  assert.ok(await ended(args, own, 'SIGKILL', 2 ** 30));
  return Math.ceil(performance.now() - begun);
}

async function home(): Promise<{ own: Record<string, string>; database: Fresh | undefined }> {
  const database = await freshDatabase();
  return { own: { DATA_DIR: place.at('restored'), ...(database ? { DATABASE_URL: database.url } : {}) }, database };
}

const restore = () => ['restore', '--from', file, '--identity', place.identityFile];

test('a restore that is killed leaves nothing or all, and can be repeated', async () => {
  const whole = await home();
  const within = await duration(restore(), whole.own);
  await whole.database?.drop();
  rmSync(place.at('restored'), { recursive: true });
  for (let round = 0; round < amount(2, 3, 20); round++) {
    const { own, database } = await home();
    await ended(restore(), own, 'SIGKILL', within);
    const isThere = database
      ? (await plainSql({ folder: '', url: database.url }, "SELECT to_regclass('wallets') IS NOT NULL AS is_there"))[0]!.is_there
      : existsSync(place.at('restored/countersign.db'));
    if (!isThere) {
      const again = await cli(restore(), { env: own });
      assert.equal(again.code, 0, again.err);
    }
    const { code, out } = await cli(['doctor', '--json'], { env: own });
    assert.ok([0, 1, 3].includes(code));
    const rootKey = JSON.parse(out).findings.find(({ check }: { check: string }) => check === 'root key');
    assert.equal(rootKey.level, 'ok', rootKey.text);
    const [{ count }] = (await plainSql(
      { folder: own.DATA_DIR!, url: own.DATABASE_URL },
      'SELECT count(*) AS count FROM wallets',
    )) as [{ count: number }];
    assert.equal(Number(count), amount(4, 10, 40));
    await database?.drop();
    rmSync(place.at('restored'), { recursive: true });
  }
});

test('a copy that is interrupted leaves no part of a file', async () => {
  const out = place.at('interrupted.age');
  const args = ['backup', '--out', out, '--recipient', place.recipient];
  const within = await duration(args, env);
  rmSync(out);
  for (let round = 0; round < amount(2, 3, 20); round++) {
    const isDone = await ended(args, env, 'SIGINT', within);
    const left = readdirSync(place.folder).filter((name) => name.startsWith('interrupted'));
    // A signal may come after the rename, before the end of the process.
    if (isDone || left.length > 0) {
      assert.deepEqual(left, ['interrupted.age']);
      const whole = await cli(['restore', '--from', out, '--identity', place.identityFile, '--dry-run'], {
        env: { DATA_DIR: place.at('none') },
      });
      assert.equal(whole.code, 0, whole.err);
    }
    rmSync(out, { force: true });
  }
});
