import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, test } from 'node:test';
import { hexToBytes, keccak256 } from 'viem';
import { ethereumAccount, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { assertSigned, type Signature } from './verify.ts';

const instance = await sharedInstance();
let accounts: { curve: string; address: string; publicKey: string }[];
before(async () => {
  const wanted = [
    ethereumAccount(),
    { ...ethereumAccount(1), curve: 'CURVE_P256', addressFormat: 'ADDRESS_FORMAT_COMPRESSED' },
    { ...ethereumAccount(2), curve: 'CURVE_ED25519', addressFormat: 'ADDRESS_FORMAT_SOLANA' },
  ];
  const made = resultOf(await instance.root.submit('CREATE_WALLET', { walletName: 'W', accounts: wanted }), 'createWalletResult');
  accounts = (await instance.root.query('list_wallet_accounts', { walletId: made.walletId })).body.accounts;
});

const TYPE = 'SIGN_RAW_PAYLOADS';
const KEY = 'signRawPayloadsResult';

const params = (more: object = {}) => ({
  signWith: accounts[0]!.address,
  payloads: ['00', '01'],
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_SHA256',
  ...more,
});

async function sign(more: object): Promise<Signature[]> {
  return resultOf(await instance.root.submit(TYPE, params(more)), KEY).signatures;
}

test('signatures come in the order of the payloads, repeated ones included', async () => {
  for (const { curve, address, publicKey } of accounts) {
    const payloads = [...Array.from({ length: 20 }, (_, i) => `${i % 7}`.padStart(2, '0')), ''];
    const hashFunction = curve === 'CURVE_ED25519' ? 'HASH_FUNCTION_NOT_APPLICABLE' : 'HASH_FUNCTION_SHA256';
    const signatures = await sign({ signWith: address, payloads, hashFunction });
    assert.equal(signatures.length, payloads.length);
    for (const [i, payload] of payloads.entries()) {
      const plain = Buffer.from(payload, 'hex');
      const input = curve === 'CURVE_ED25519' ? plain : createHash('sha256').update(plain).digest();
      assertSigned(curve, publicKey, input, signatures[i]!);
    }
    assert.deepEqual(signatures[0], signatures[7]);
  }
});

test('each is what SIGN_RAW_PAYLOAD gives', async () => {
  const text = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_KECCAK256' };
  const many = await sign({ ...text, payloads: ['a', 'b'] });
  for (const [i, payload] of ['a', 'b'].entries()) {
    const { payloads: _, ...rest } = params(text) as Record<string, unknown>;
    const one = resultOf(await instance.root.submit('SIGN_RAW_PAYLOAD_V2', { ...rest, payload }), 'signRawPayloadResult');
    assert.deepEqual(one, many[i]);
  }
  const digest = keccak256(Buffer.from('x'));
  const [signature] = await sign({ payloads: [digest], hashFunction: 'HASH_FUNCTION_NO_OP' });
  assertSigned('CURVE_SECP256K1', accounts[0]!.publicKey, hexToBytes(digest), signature!);
});

test('as many as 256, and not one more', async () => {
  assert.equal((await sign({ payloads: Array.from({ length: 256 }, () => 'ff') })).length, 256);
  const answer = await instance.root.submit(TYPE, params({ payloads: Array.from({ length: 257 }, () => 'ff') }));
  refused(answer, [400, 'REQUEST_INVALID', /payloads/], 'parameters.payloads');
});

test('all or none: one bad payload and nothing is signed', async () => {
  for (const [payloads, more] of [
    [['00', 'zz'], {}],
    [['ff'.repeat(32), '00'], { hashFunction: 'HASH_FUNCTION_NO_OP' }],
    [['{}', '{'], { encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' }],
  ] as const) {
    const answer = await instance.root.submit(TYPE, params({ payloads, ...more }));
    refused(answer, [400, 'REQUEST_INVALID', /./]);
    const filter = { filterByType: [`ACTIVITY_TYPE_${TYPE}`], paginationOptions: { limit: '1' } };
    const [record] = (await instance.root.query('list_activities', filter)).body.activities;
    assert.equal(record.status, 'ACTIVITY_STATUS_FAILED');
    assert.deepEqual(record.result, {});
  }
});

test('typed data: as much of it as people sign at once, and no types that are hashed over and over', async () => {
  const typed = (types: object, message: object) =>
    JSON.stringify({ types: { EIP712Domain: [], ...types }, domain: {}, primaryType: 'Root', message });
  const eip712 = { encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' };
  const many = Array.from({ length: 40 }, (_, i) => ({ name: `field${i}`, type: 'uint256' }));
  const order = typed({ Root: many }, Object.fromEntries(many.map(({ name }, i) => [name, i])));
  assert.equal((await sign({ payloads: Array(256).fill(order), ...eip712 })).length, 256);
  const ring = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`T${i}`, [{ name: 'next', type: `T${(i + 1) % 100}[]` }]]),
  );
  const all = Object.keys(ring).map((type) => ({ name: `f${type}`, type: `${type}[]` }));
  const wheel = typed({ ...ring, Root: all }, Object.fromEntries(all.map(({ name }) => [name, [{ next: [] }]])));
  const answer = await instance.root.submit(TYPE, params({ payloads: Array(50).fill(wheel), ...eip712 }));
  refused(answer, [400, 'REQUEST_INVALID', /types that use each other have too much text/]);
});

test('a payload that is refused is named by its place', async () => {
  const answer = await instance.root.submit(TYPE, params({ payloads: ['00', 'zz'] }));
  refused(answer, [400, 'REQUEST_INVALID', /must be hex/], 'parameters.payloads[1]');
});

test('an unknown signer', async () => {
  refused(await instance.root.submit(TYPE, params({ signWith: 'nothing' })), [404, 'UNSPECIFIED', /signer not found/]);
});

test('bad parameters are named', async () => {
  await refusesEach(instance.root, TYPE, [
    [params({ payloads: ['00', 1] }), 'parameters.payloads[1]', /string/],
    [params({ hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE' }), 'parameters.hashFunction', /invalid hash function/],
  ]);
});
