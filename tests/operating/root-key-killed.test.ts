import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cli } from '../support/cli.ts';
import { freshDatabase } from '../support/database.ts';
import { amount, isFull } from '../support/full.ts';
import { startProcess } from '../support/process.ts';
import { seeded } from '../support/seeded.ts';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
const next = seeded(Number(process.env.TEST_SEED ?? 1));
const folder = mkdtempSync(join(tmpdir(), 'countersign-shares-killed-'));
const database = await freshDatabase();
const base = { DATA_DIR: join(folder, 'data'), ...(database ? { DATABASE_URL: database.url } : {}) };
after(async () => {
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** Gives the command, and kills it some time after its first file, or not at all. */
async function rotate(out: string, input: string, env: Record<string, string>, within: number | undefined): Promise<void> {
  const args = ['custody', 'rotate-root', '--to', 'shares', '--shares', '3', '--threshold', '2', '--out', out];
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { PATH: process.env.PATH, ...base, ...env },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exited = once(child, 'exit');
  child.stdin.on('error', () => {}).end(input);
  if (within !== undefined) {
    while (!existsSync(out) && child.exitCode === null) await pause(1);
    await Promise.race([pause(next(within), undefined, { ref: false }), exited]);
    child.kill('SIGKILL');
  }
  await exited;
}

test('a rotation to shares that is killed leaves the old root key, or a new one of which every share is here', {
  skip: !isFull && 'a long random test, which --full runs',
}, async () => {
  const service = await startProcess(base);
  await service.ready();
  service.child.kill('SIGTERM');
  await service.exited;
  let env: Record<string, string> = {};
  let input = '';
  let begun = performance.now();
  await rotate(join(folder, 'whole'), input, env, undefined);
  const within = Math.ceil(performance.now() - begun);
  let last = '';
  for (let round = 0; round < amount(0, 5, 25); round++) {
    const out = round === 0 ? join(folder, 'whole') : join(folder, `killed-${round}`);
    begun = performance.now();
    if (round > 0) await rotate(out, input, env, within);
    const { rootKey } = JSON.parse((await cli(['custody', 'status', '--json'], { env: base })).out);
    if (rootKey !== last) {
      const shares = readdirSync(out).map((file) => readFileSync(join(out, file), 'utf8'));
      assert.equal(shares.filter((text) => text.includes(`root key ${rootKey}:`)).length, 3);
      [last, env, input] = [rootKey, { ROOT_KEY_PROVIDER: 'shares' }, shares.slice(1).join('')];
    }
    const opens = await cli(['custody', 'rotate-root', '--dry-run', '--to', 'file'], {
      env: { ...base, ...env, NEW_ROOT_KEY_PATH: join(folder, 'absent.key') },
      input,
    });
    assert.match(opens.out, /1 master key would be wrapped/, opens.err);
  }
});
