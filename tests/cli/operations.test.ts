import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { systemRandom } from '../../src/base/random.ts';
import { newStampKeys } from '../../src/cli/stamp.ts';
import { NOT_YET } from '../conformance/not-yet.ts';
import { cli } from '../support/cli.ts';

const CLI = resolve(import.meta.dirname, '../../scripts/countersign.mjs');

/** The command line's message for a mistake, without a service and without data. */
async function complaint(...args: string[]): Promise<string> {
  const { code, out, err } = await cli(args, { cwd: tmpdir(), env: { DATA_DIR: '/dev/null/nowhere' } });
  assert.equal(code, 2, out + err);
  return err;
}

test('an operation that is not there: what was typed, and what was meant', async () => {
  assert.equal(await complaint('submit', 'create_walet'), 'there is no activity "create_walet": did you mean create_wallet?\n');
  assert.equal(await complaint('query', 'whoim'), 'there is no query "whoim": did you mean whoami?\n');
  assert.equal(await complaint('submit', 'whoami'), '"whoami" is no activity: did you mean countersign query whoami?\n');
  assert.equal(
    await complaint('query', 'create_wallet'),
    '"create_wallet" is no query: did you mean countersign submit create_wallet?\n',
  );
  const later = NOT_YET.paths
    .find((path) => path.includes('/query/'))
    ?.split('/')
    .at(-1);
  if (later !== undefined)
    assert.match(
      await complaint('query', later),
      new RegExp(`^"${later}" is an operation of the published interface that this version does not serve; it serves `),
    );
  assert.match(await complaint('query', 'xyzzyxyzzy'), /^there is no query "xyzzyxyzzy": there are .*whoami/);
  assert.match(await complaint('query'), /^name a query: .*whoami/);
});

test('an argument too many and an option of another command are refused, not ignored', async () => {
  assert.equal(await complaint('start', 'now'), 'countersign start takes no "now": see countersign start --help\n');
  assert.equal(await complaint('why', 'a', 'b'), 'countersign why takes no "b": see countersign why --help\n');
  assert.equal(await complaint('query', 'whoami', '{}', 'x'), 'countersign query takes no "x": see countersign query --help\n');
  assert.equal(
    await complaint('outbox', 'list', '--since', '2026-01-01'),
    'countersign outbox takes no --since: see countersign outbox --help\n',
  );
  assert.equal(
    await complaint('unfreeze', '--operator', '--keep-sends'),
    'countersign unfreeze takes no --keep-sends: see countersign unfreeze --help\n',
  );
});

test('credentials whose halves are of two pairs, and https where the service speaks http, are told as such', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-cli-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const pair = () => newStampKeys('API_KEY_CURVE_P256', systemRandom);
  const [mine, other] = [pair(), pair()];
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const asked = (keys: object) =>
    new Promise<string>((done) => {
      const file = join(folder, 'keys.json');
      writeFileSync(file, JSON.stringify({ ...keys, organizationId: 'x', baseUrl }));
      const env = { PATH: process.env.PATH, DATA_DIR: '/dev/null/nowhere' };
      execFile(process.execPath, [CLI, 'query', 'whoami', '--credentials', file], { env }, (_, _out, err) => done(err));
    });
  assert.match(
    await asked({ ...mine, apiPrivateKey: other.apiPrivateKey }),
    /^the credentials have keys of two pairs: apiPublicKey/,
  );
  for (const apiPublicKey of [mine.apiPublicKey, mine.apiPublicKey.toUpperCase()])
    assert.match(await asked({ ...mine, apiPublicKey }), /^https:\S+ does not speak TLS: the service speaks http/);
});
