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
import { amount, isFull, isRelease, partOf } from '../support/full.ts';
import { startProcess } from '../support/process.ts';
import { seeded } from '../support/seeded.ts';

const CLI = fileURLToPath(new URL('../../scripts/countersign.mjs', import.meta.url));
const next = seeded(Number(process.env.TEST_SEED ?? 1));
const folder = mkdtempSync(join(tmpdir(), 'countersign-shares-killed-'));
const database = await freshDatabase();
const base = { DATA_DIR: join(folder, 'data'), ...(database ? { DATABASE_URL: database.url } : {}) };
after(async () => {
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

type Env = Record<string, string>;
type Run = { args: readonly string[]; env: Env; input?: string };

/** Runs a rotation. With `killed`, kills it when that has come. False if it was killed before its end. */
async function rotate({ args, env, input = '' }: Run, killed?: (isOver: () => boolean) => Promise<unknown>): Promise<boolean> {
  const child = spawn(process.execPath, [CLI, 'custody', 'rotate-root', ...args], {
    env: { PATH: process.env.PATH, ...base, ...env },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exited = once(child, 'exit');
  child.stdin.on('error', () => {}).end(input);
  if (killed !== undefined) {
    await Promise.race([killed(() => child.exitCode !== null), exited]);
    child.kill('SIGKILL');
  }
  const [code] = await exited;
  return code === 0;
}

const pauseWithin = (least: number, most: number) => pause(least + next(Math.ceil(most - least)), undefined, { ref: false });

/** Gives the command, and kills it some time after its first file, or not at all. */
const toShares = (out: string, input: string, env: Env, within: number | undefined) =>
  rotate(
    { args: ['--to', 'shares', '--shares', '3', '--threshold', '2', '--out', out], env, input },
    within === undefined
      ? undefined
      : async (isOver) => {
          while (!existsSync(out) && !isOver()) await pause(1);
          await pauseWithin(0, within);
        },
  );

/** Whether the root key of these settings opens every master key. */
async function opens(env: Env, input = ''): Promise<boolean> {
  const asked = { ...base, ...env, NEW_ROOT_KEY_PATH: join(folder, 'absent.key') };
  const { code, out } = await cli(['custody', 'rotate-root', '--dry-run', '--to', 'file'], { env: asked, input });
  return code === 0 && out.includes('1 master key would be wrapped');
}

/** Settings of a new root key, and the same as those of a rotation's target. */
const newEnv = (env: Env): Env => Object.fromEntries(Object.entries(env).map(([name, value]) => [`NEW_${name}`, value]));
const TARGETS: Record<string, (round: number) => Env> = {
  passphrase: (round) => ({ ROOT_PASSPHRASE: `a passphrase that is long ${round}` }),
  file: (round) => ({ ROOT_KEY_PATH: join(folder, `next-${round}.key`) }),
  env: () => ({ ROOT_KEY: Array.from({ length: 64 }, () => next(16).toString(16)).join('') }),
};

async function stopped(): Promise<void> {
  const service = await startProcess(base);
  await service.ready();
  service.child.kill('SIGTERM');
  await service.exited;
}

let current: Env = {};

for (const [provider, settings] of partOf(Object.entries(TARGETS), 3, 3))
  test(`a rotation to ${provider} that is killed leaves the old root key or the new one, and a second run ends it`, {
    skip: !isFull && 'a long random test, which --full runs',
  }, async () => {
    if (Object.keys(current).length === 0) await stopped();
    const ways = new Set<string>();
    let took = 0;
    for (let round = 0; round < amount(0, 2, 20); round++) {
      const env = settings(round);
      const run = { args: ['--to', provider, '--force'], env: { ...current, ...newEnv(env) } };
      const target = { ROOT_KEY_PROVIDER: provider, ...env };
      const begun = performance.now();
      // The first is whole, and takes the time within which the others are killed, most of which starts the program.
      const isWhole = await rotate(run, round === 0 ? undefined : () => pauseWithin(took / 2, took));
      if (round === 0) took = performance.now() - begun;
      const byNew = await opens(target);
      assert.notEqual(byNew, await opens(current), 'one of both opens all, and the other none');
      assert.ok(byNew || !isWhole);
      ways.add(byNew ? 'new' : 'old');
      if (!byNew) assert.ok(await rotate(run), 'a second run goes through');
      current = target;
    }
    const service = await startProcess({ ...base, ...current });
    await service.ready();
    service.child.kill('SIGTERM');
    assert.equal(await service.exited, 0, service.output());
    if (isRelease) assert.equal(ways.size, 2);
  });

test('a rotation to shares that is killed leaves the old root key, or a new one of which every share is here', {
  skip: !isFull && 'a long random test, which --full runs',
}, async () => {
  let env = current;
  let input = '';
  let begun = performance.now();
  await toShares(join(folder, 'whole'), input, env, undefined);
  const within = Math.ceil(performance.now() - begun);
  let last = '';
  for (let round = 0; round < amount(0, 3, 25); round++) {
    const out = round === 0 ? join(folder, 'whole') : join(folder, `killed-${round}`);
    begun = performance.now();
    if (round > 0) await toShares(out, input, env, within);
    const { rootKey } = JSON.parse((await cli(['custody', 'status', '--json'], { env: base })).out);
    if (rootKey !== last) {
      const shares = readdirSync(out).map((file) => readFileSync(join(out, file), 'utf8'));
      assert.equal(shares.filter((text) => text.includes(`root key ${rootKey}:`)).length, 3);
      [last, env, input] = [rootKey, { ROOT_KEY_PROVIDER: 'shares' }, shares.slice(1).join('')];
    }
    assert.ok(await opens(env, input));
  }
});
