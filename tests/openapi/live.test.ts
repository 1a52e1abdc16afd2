import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keccak256, recoverAddress, toHex } from 'viem';
import { sharedInstance } from '../support/instance.ts';
import { program } from './program.ts';

const { url, root, credentials } = await sharedInstance();

test('a program with the generated types creates, signs and reads', async () => {
  const { organizationId, keys } = root;
  const done = await program({ url, organizationId, ...keys });
  assert.equal(done.userId, credentials.userId);
  const { r, s, v } = done.signature;
  const signature = { r: `0x${r}`, s: `0x${s}`, v: 27n + BigInt(`0x${v}`) } as const;
  assert.equal(await recoverAddress({ hash: keccak256(toHex('hello')), signature }), done.address);
  assert.ok(done.wallets.some(({ walletId }) => walletId === done.walletId));
  assert.deepEqual(
    done.activities.map(({ type }) => type),
    ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'],
  );
});

test('a program with a wrong key is refused by the service', async () => {
  const { organizationId } = root;
  const other = { publicKey: root.keys.publicKey.replace(/^0[23]/, (sign) => (sign === '02' ? '03' : '02')) };
  await assert.rejects(() => program({ url, organizationId, privateKey: root.keys.privateKey, ...other }));
});
