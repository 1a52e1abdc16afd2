/** Keys in the sign frame: what it signs is verified by viem and with web3.js. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ed25519 } from '@noble/curves/ed25519.js';
import { Keypair, PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { type Hex, parseTransaction, recoverTransactionAddress, serializeTransaction, verifyMessage } from 'viem';
import { p256Convert } from '../../src/crypto/p256.ts';
import { newPrivateKey } from '../activities/custody.ts';
import { chromiumProgram, NO_CHROMIUM } from '../support/chromium.ts';
import { resultOf } from '../support/client.ts';
import { framesWorld } from '../support/frames.ts';

const TO = '0x000000000000000000000000000000000000dEaD';
const unsigned = serializeTransaction({
  type: 'eip1559',
  chainId: 1,
  nonce: 3,
  gas: 21_000n,
  maxFeePerGas: 9n,
  to: TO,
  value: 5n,
});
const ethereum = (transaction: string) => ({ transaction, type: 'ETHEREUM' });

describe('the sign frame', { skip: chromiumProgram() === undefined && NO_CHROMIUM }, () => {
  const world = framesWorld({ FRAMES: 'sign' });

  async function keyOn(name: string, curve: string, format?: string): Promise<{ privateKeyId: string; address: string }> {
    const addressFormats = format === undefined ? [] : [format];
    const { privateKeyId, addresses } = await newPrivateKey(world.instance.root, name, { curve, addressFormats });
    return { privateKeyId, address: addresses[0]?.address ?? '' };
  }
  async function exported(privateKeyId: string, targetPublicKey: string): Promise<string> {
    const answer = await world.instance.root.submit('EXPORT_PRIVATE_KEY', { privateKeyId, targetPublicKey });
    return resultOf(answer, 'exportPrivateKeyResult').exportBundle;
  }

  test('a message and a transaction of Ethereum are signed by the key of their address', async () => {
    const { organizationId } = world.instance.root;
    const { page, key, call, fails } = await world.open('sign');
    assert.match(await fails('signMessage', { message: 'hi', type: 'ETHEREUM' }), /no key for this address/);
    const two = [
      await keyOn('first', 'CURVE_SECP256K1', 'ADDRESS_FORMAT_ETHEREUM'),
      await keyOn('second', 'CURVE_SECP256K1', 'ADDRESS_FORMAT_ETHEREUM'),
    ];
    for (const { privateKeyId, address } of two) {
      const bundle = await exported(privateKeyId, key);
      assert.equal(await call('injectKeyExportBundle', bundle, organizationId, 'HEXADECIMAL', address), true);
    }
    for (const { address } of two) {
      const message = 'héllo ✓';
      const signature = (await call('signMessage', { message, type: 'ETHEREUM' }, address)) as Hex;
      assert.ok(await verifyMessage({ address: address as Hex, message, signature }));
      const signed = (await call('signTransaction', ethereum(unsigned), address)) as `0x02${string}`;
      assert.equal(await recoverTransactionAddress({ serializedTransaction: signed }), address);
      assert.equal(parseTransaction(signed).value, 5n);
    }
    const [first, second] = [two[0]!, two[1]!];
    assert.match(await fails('signTransaction', ethereum('0xzz'), first.address), /must be hexadecimal/);
    assert.match(await fails('signTransaction', ethereum('0x02c0'), first.address), /failed to parse transaction/);
    assert.match(await fails('signTransaction', { transaction: unsigned, type: 'TRON' }, first.address), /ETHEREUM or SOLANA/);
    assert.match(await fails('createRequest', 'SIGN_MESSAGE', { value: '{' }), /value must be JSON/);
    assert.equal(await call('createRequest', 'CLEAR_EMBEDDED_PRIVATE_KEY', { address: first.address }), true);
    assert.match(await fails('signMessage', { message: 'hi', type: 'ETHEREUM' }, first.address), /no key for this address/);
    await page.clock.setFixedTime(Date.now() + 25 * 3_600_000);
    assert.match(await fails('signMessage', { message: 'hi', type: 'ETHEREUM' }, second.address), /no key for this address/);
    await page.close();
  });

  test('a message and a transaction of Solana are signed', async () => {
    const { page, key, call } = await world.open('sign');
    const { privateKeyId, address } = await keyOn('solana', 'CURVE_ED25519', 'ADDRESS_FORMAT_SOLANA');
    await call('injectKeyExportBundle', await exported(privateKeyId, key), world.instance.root.organizationId, 'SOLANA');
    const payer = new PublicKey(address);
    const signature = (await call('signMessage', { message: 'hello', type: 'SOLANA' })) as string;
    assert.ok(ed25519.verify(Buffer.from(signature, 'hex'), Buffer.from('hello'), payer.toBytes()));
    const transfer = SystemProgram.transfer({ fromPubkey: payer, toPubkey: Keypair.generate().publicKey, lamports: 7 });
    const message = new TransactionMessage({
      payerKey: payer,
      recentBlockhash: PublicKey.default.toBase58(),
      instructions: [transfer],
    });
    const transaction = Buffer.from(new VersionedTransaction(message.compileToV0Message()).serialize()).toString('hex');
    const signed = (await call('signTransaction', { transaction, type: 'SOLANA' })) as string;
    const read = VersionedTransaction.deserialize(Buffer.from(signed, 'hex'));
    assert.ok(ed25519.verify(read.signatures[0]!, read.message.serialize(), payer.toBytes()));
    await page.close();
  });

  test('bundles for a key that the organization keeps are opened once the frame has that key', async () => {
    const { organizationId } = world.instance.root;
    const { page, key, call, fails } = await world.open('sign');
    const { privateKeyId: escrowId } = await keyOn('escrow', 'CURVE_P256', 'ADDRESS_FORMAT_UNCOMPRESSED');
    const { body } = await world.instance.root.query('get_private_key', { privateKeyId: escrowId });
    const { privateKeyId, address } = await keyOn('third', 'CURVE_SECP256K1', 'ADDRESS_FORMAT_ETHEREUM');
    const escrow = p256Convert(Buffer.from(body.privateKey.publicKey as string, 'hex'), 'uncompressed')!.toString('hex');
    const bundle = await exported(privateKeyId, escrow);
    assert.match(await fails('injectKeyExportBundle', bundle, organizationId), /not sealed to the key of this page/);
    assert.equal(await call('setEmbeddedKeyOverride', organizationId, await exported(escrowId, key)), true);
    assert.equal(await call('injectKeyExportBundle', bundle, organizationId), true);
    const signature = (await call('signMessage', { message: 'hi', type: 'ETHEREUM' })) as Hex;
    assert.ok(await verifyMessage({ address: address as Hex, message: 'hi', signature }));
    assert.equal(await call('resetToDefaultEmbeddedKey'), true);
    assert.match(await fails('injectKeyExportBundle', bundle, organizationId), /not sealed to the key of this page/);
    await page.close();
  });
});
