import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { operationsHelp } from '../../src/cli/operation-help.ts';
import { queries } from '../../src/queries/index.ts';
import { cli } from '../support/cli.ts';

const countersign = (...args: string[]) => cli(args, { cwd: tmpdir(), env: { DATA_DIR: '/dev/null/nowhere' } });
const ORGANIZATION = '00000000-0000-7000-8000-000000000001';

test('the example of each operation passes its schema, and each operation has a help', () => {
  const helps = new Map(operationsHelp().map((help) => [`${help.command} ${help.name}`, help]));
  assert.equal(helps.size, activities.length + queries.length);
  for (const kind of activities) {
    const version = [...kind.versions.values()].at(-1)!.version;
    const { example } = helps.get(`submit ${kind.path.split('/').at(-1)}`)!;
    assert.ok(kind.params.schema(version).safeParse(example).success, kind.kind);
  }
  for (const kind of queries) {
    const { example } = helps.get(`query ${kind.name}`)!;
    assert.ok(kind.params.safeParse({ organizationId: ORGANIZATION, ...example }).success, kind.name);
  }
});

test('--help of an operation has its members, and an example that fits the shell', async () => {
  const { code, out } = await countersign('submit', 'create_wallet', '--help');
  assert.equal(code, 0);
  assert.match(out, /^Usage: countersign submit create_wallet \[PARAMETERS\]/);
  assert.match(out, /^ {2}accounts\* +list of objects, at most 1000 members$/m);
  assert.match(out, /^ {4}curve\* +CURVE_SECP256K1 \| CURVE_ED25519 \| CURVE_P256$/m);
  assert.match(out, /create_wallet - <<'END'\n {2}\{[\s\S]*\}\nEND\n$/);
  assert.equal((await countersign('help', 'submit', 'create_wallet')).out, out);
  assert.match((await countersign('query', 'whoami', '--help')).out, /\n {2}\.\/countersign query whoami\n$/);
  const wrong = await countersign('submit', 'create_walet', '--help');
  assert.deepEqual([wrong.code, wrong.err], [2, 'there is no activity "create_walet": did you mean create_wallet?\n']);
});

test('operations are listed by resource, and found by a word of their names, summaries or parameters', async () => {
  const all = (await countersign('operations')).out;
  for (const { name } of operationsHelp()) assert.ok(all.includes(` ${name} `), name);
  assert.match(all, /^wallets\n(?: {2}.*\n)* {2}submit create_wallet {2,}Create a wallet/m);
  const names = async (word: string) =>
    (await countersign('operations', word, '--field', 'operations.*.name')).out.trimEnd().split('\n');
  assert.deepEqual(await names('sign-raw-payload'), ['sign_raw_payload', 'sign_raw_payloads']);
  assert.ok((await names('mnemonicLength')).includes('create_wallet'));
  const none = await countersign('operations', 'walets');
  assert.deepEqual([none.code, none.err], [2, 'no operation has "walets": did you mean wallets?\n']);
});
