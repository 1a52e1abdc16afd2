import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { queries } from '../../src/queries/index.ts';
import { freshTimestamp, post, stampOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { seeded } from '../support/seeded.ts';

const instance = await sharedInstance();

const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 600);

const ODD: unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  1.5,
  '',
  ' ',
  'x'.repeat(300),
  '\u0000',
  '𝒳',
  '0x',
  '0xzz',
  '-1',
  '1e3',
  '99999999999999999999',
  [],
  [[]],
  {},
  [null],
  { a: { b: 1 } },
  '__proto__',
  'constructor',
  'toString',
  'CURVE_ED25519',
  "m/44'/60'",
  'ACTIVITY_TYPE_CREATE_WALLET',
  'm/2147483648',
];

test(`stamps and bodies: ${ROUNDS} rounds find no unexpected error`, async () => {
  const random = seeded(20261121);
  const pick = <T>(items: readonly T[]): T => items[random(items.length)]!;
  const kinds = [
    ...activities.map((k) => ({ path: k.path, types: [...k.versions.keys()] })),
    ...queries.map((q) => ({ path: q.path, types: [''] })),
  ];
  const fields = [
    'organizationId',
    'type',
    'timestampMs',
    'parameters',
    'userId',
    'walletId',
    'accounts',
    'users',
    'apiKeys',
    'signWith',
    'payload',
    'payloads',
    'encoding',
    'hashFunction',
    'paginationOptions',
    'filterByStatus',
    'filterType',
    'filterValue',
    'activityId',
    'privateKeys',
    'curve',
    'path',
    'addressFormat',
    'rootUsers',
    'rootQuorumThreshold',
    'wallet',
    'constructor',
  ];
  const value = (depth: number): unknown => {
    const roll = random(10);
    if (depth > 3 || roll < 5) return pick(ODD);
    if (roll < 7) return Array.from({ length: random(3) }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length: random(5) }, () => [pick(fields), value(depth + 1)]));
  };
  const statuses = new Map<number, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const { path, types } = pick(kinds);
    const parameters = Object.fromEntries(Array.from({ length: random(6) }, () => [pick(fields), value(0)]));
    const base: Record<string, unknown> = {
      type: pick(types),
      timestampMs: freshTimestamp(),
      organizationId: instance.root.organizationId,
      parameters,
      ...(types[0] === '' ? parameters : {}),
    };
    if (random(4) === 0) base[pick(fields)] = value(0);
    else base.organizationId = instance.root.organizationId;
    let body = JSON.stringify(base);
    if (random(5) === 0) {
      const at = random(body.length);
      body = body.slice(0, at) + pick(['"', '\\', '{', '}', '\u0000', ',', '\ud83d', 'null']) + body.slice(at + random(3));
    }
    let stamp = stampOf(instance.root.keys, body);
    if (random(6) === 0) {
      const decoded = JSON.parse(Buffer.from(stamp, 'base64url').toString('utf8')) as Record<string, unknown>;
      decoded[pick(['publicKey', 'scheme', 'signature'])] = pick([
        ...ODD,
        'SIGNATURE_SCHEME_TK_API_ED25519',
        'SIGNATURE_SCHEME_TK_API_SECP256K1',
        'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191',
        '00'.repeat(32),
        `30${'00'.repeat(40)}`,
      ]);
      stamp = Buffer.from(JSON.stringify(decoded)).toString('base64url');
    }
    const answer = await post(`${instance.url}${path}`, Buffer.from(body), { 'x-stamp': stamp });
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    assert.ok(answer.status < 500, `${answer.status} for ${path} ${body} → ${answer.text}`);
    assert.ok(
      answer.status === 200 || (Number.isInteger(answer.body.code) && answer.body.message && Array.isArray(answer.body.details)),
      answer.text,
    );
  }
  assert.ok((statuses.get(400) ?? 0) > ROUNDS / 4, JSON.stringify([...statuses]));
  assert.equal((await instance.root.query('whoami')).status, 200);
});
