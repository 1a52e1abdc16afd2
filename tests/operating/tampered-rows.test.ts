import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Answer, Client } from '../support/client.ts';
import { engineName } from '../support/database.ts';
import { sharedInstance } from '../support/instance.ts';

type Row = { organization_id: unknown; id: unknown; purpose: string; sealed: Buffer };
type Signer = { client: Client; signWith: string; row: Row };

const instance = await sharedInstance();
let signers: [Signer, Signer];
let mnemonic: Row;

const rows = async (): Promise<Row[]> =>
  (await instance.raw('SELECT organization_id, id, purpose, sealed FROM secrets')) as Row[];

/** Stores other bytes in a row, as an attacker with the database could. A changed version makes processes read the row again. */
async function store(row: Row, sealed: Buffer): Promise<void> {
  const key = [row.organization_id, row.id, row.purpose];
  await instance.raw('UPDATE secrets SET sealed = $1 WHERE organization_id = $2 AND id = $3 AND purpose = $4', sealed, ...key);
  await instance.raw('UPDATE organizations SET version = version + 1 WHERE id = $1', row.organization_id);
}

const sign = ({ client, signWith }: Signer): Promise<Answer> =>
  client.submit('SIGN_RAW_PAYLOAD_V2', {
    signWith,
    payload: '00',
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_SHA256',
  });

async function assertSigns(signer: Signer): Promise<void> {
  const answer = await sign(signer);
  assert.equal(answer.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', answer.text);
}

/** The refusal names nothing of the row. */
async function assertRefused(signer: Signer, sealed: Buffer, what: string): Promise<void> {
  const answer = await sign(signer);
  assert.equal(answer.status, 500, `${what}: ${answer.text}`);
  for (const encoding of ['hex', 'base64'] as const)
    assert.ok(!answer.text.includes(sealed.toString(encoding).slice(0, 24)), what);
}

async function newSigner(name: string): Promise<Signer> {
  const { clients } = await instance.newSubOrganization(name, 1, 1);
  const client = clients[0]!;
  const known = new Set((await rows()).map((row) => row.sealed.toString('hex')));
  const key = { privateKeyName: name, curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] };
  const made = await client.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys: [key] });
  const signWith = made.body.activity.result.createPrivateKeysResultV2.privateKeys[0].privateKeyId;
  const [row] = (await rows()).filter(({ sealed }) => !known.has(sealed.toString('hex')));
  return { client, signWith, row: row! };
}

before(async () => {
  signers = [await newSigner('First'), await newSigner('Second')];
  const before = new Set((await rows()).map((row) => row.sealed.toString('hex')));
  await signers[0].client.submit('CREATE_WALLET', { walletName: 'W', accounts: [] });
  mnemonic = (await rows()).find(({ sealed }) => !before.has(sealed.toString('hex')))!;
});

test(`a stored key with a changed byte signs nothing, and signs again when the byte is back, on ${engineName}`, async () => {
  const [signer] = signers;
  const { row } = signer;
  await assertSigns(signer);
  for (let i = 0; i < row.sealed.length; i++) {
    const changed = Buffer.from(row.sealed);
    changed[i]! ^= 1 << (i % 8);
    await store(row, changed);
    await assertRefused(signer, row.sealed, `byte ${i}`);
  }
  await store(row, row.sealed.subarray(0, -1));
  await assertRefused(signer, row.sealed, 'a byte fewer');
  await store(row, row.sealed);
  await assertSigns(signer);
});

test(`a stored key in the row of another organization or purpose signs nothing, on ${engineName}`, async () => {
  const [first, second] = signers;
  await store(first.row, second.row.sealed);
  await store(second.row, first.row.sealed);
  for (const signer of signers) await assertRefused(signer, signer.row.sealed, 'swapped');
  for (const { row } of signers) await store(row, row.sealed);
  assert.notEqual(mnemonic.purpose, first.row.purpose);
  await store(first.row, mnemonic.sealed);
  await assertRefused(first, first.row.sealed, 'the mnemonic in place of the key');
  await store(first.row, first.row.sealed);
  for (const signer of signers) await assertSigns(signer);
});
