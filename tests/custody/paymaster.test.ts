import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { recoverAddress, toHex } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import { ed25519 } from '../../src/crypto/ed25519.ts';
import { envelope } from '../../src/custody/envelope.ts';
import { newPaymasterKey, paymaster, paymasterKeyNames } from '../../src/custody/paymaster.ts';
import { newServiceKey } from '../../src/custody/service-keys.ts';

const sealing = envelope(new Map([[1, createSecretKey(randomBytes(32))]]), randomBytes);
const [secp256k1, solana] = paymasterKeyNames.map((name) => newPaymasterKey(sealing, randomBytes, name));
const keys = { 'paymaster-secp256k1': secp256k1!, 'paymaster-ed25519': solana! };
const vault = paymaster(sealing, keys, { eip155: '0x', solana: 'x' });

test('each chain has a key, and signs with it', async () => {
  const digest = randomBytes(32);
  const { r, s, v } = vault.signDigest(digest);
  const signature = { r: toHex(r), s: toHex(s), yParity: v as 0 | 1 };
  const account = await recoverAddress({ hash: toHex(digest), signature });
  const { uncompressed } = await import('../../src/crypto/points.ts');
  const point = uncompressed('CURVE_SECP256K1', Buffer.from(secp256k1!.publicKey, 'hex'));
  assert.equal(account, publicKeyToAddress(toHex(point)));
  const message = randomBytes(200);
  assert.ok(ed25519.verifier(Buffer.from(solana!.publicKey, 'hex'))(vault.signMessage(message), message));
});

test('its keys are of the service, sealed under their own names, and in no other place', () => {
  const moved = { ...keys, 'paymaster-ed25519': { ...solana!, sealed: secp256k1!.sealed } };
  assert.throws(() => paymaster(sealing, moved, { eip155: '', solana: '' }).signMessage(randomBytes(1)), /cannot be opened/);
  const other = newServiceKey(sealing, randomBytes, 'otp-signer');
  const mixed = { ...keys, 'paymaster-secp256k1': { ...secp256k1!, sealed: other.sealed } };
  assert.throws(() => paymaster(sealing, mixed, { eip155: '', solana: '' }).signDigest(randomBytes(32)), /cannot be opened/);
  const text = JSON.stringify(vault);
  assert.equal(text, '{}');
});
