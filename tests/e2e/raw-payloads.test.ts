import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { keccak256, recoverAddress, serializeTransaction } from 'viem';
import { type Client, resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { approvedBy, denied, newPolicy, newWallet } from './authority.ts';

const instance = await sharedInstance();
let client: Client;
let address: string;

/** A user who may sign with everything except transactions of more than 5 wei, as such policies are often written. */
before(async () => {
  const user = await instance.newUser('Signer');
  client = user.client;
  const wallet = await newWallet(instance.root);
  address = wallet.addresses[0]!;
  const consensus = approvedBy(user.userId);
  await newPolicy(instance.root, { condition: "activity.action == 'SIGN'", consensus });
  await newPolicy(instance.root, { effect: 'EFFECT_DENY', condition: 'eth.tx.value > 5' });
});

const transaction = (value: bigint) =>
  serializeTransaction({ type: 'eip1559', chainId: 1, to: `0x${'11'.repeat(20)}`, value, maxFeePerGas: 1n });

const sign = (value: bigint) =>
  client.submit('SIGN_TRANSACTION_V2', {
    signWith: address,
    unsignedTransaction: transaction(value).slice(2),
    type: 'TRANSACTION_TYPE_ETHEREUM',
  });

const raw = (payload: string, encoding = 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction = 'HASH_FUNCTION_NO_OP') => ({
  signWith: address,
  payload,
  encoding,
  hashFunction,
});

const typedData = JSON.stringify({
  types: { EIP712Domain: [{ name: 'name', type: 'string' }], Note: [{ name: 'text', type: 'string' }] },
  primaryType: 'Note',
  domain: { name: 'Notes' },
  message: { text: 'hello' },
});

test('a denied transaction is signed by its hash, until the policy of the document closes it', async () => {
  denied(await sign(6n), /policies denied/);
  const hash = keccak256(transaction(6n));
  const { r, s, v } = resultOf(await client.submit('SIGN_RAW_PAYLOAD_V2', raw(hash)), 'signRawPayloadResult');
  const signature = { r: `0x${r}`, s: `0x${s}`, yParity: Number(v) } as const;
  assert.equal((await recoverAddress({ hash, signature })).toLowerCase(), address.toLowerCase(), 'this is what is to be closed');

  const text = readFileSync(new URL('../../docs/policy-language.md', import.meta.url), 'utf8');
  const section = text.slice(text.indexOf('## 14. Bytes that no policy reads'), text.indexOf('## 15.'));
  const [, condition] = /^```condition\n(.*?)\n```$/ms.exec(section)!;
  await newPolicy(instance.root, { effect: 'EFFECT_DENY', condition: condition! });

  const { payload, ...rest } = raw(hash);
  denied(await client.submit('SIGN_RAW_PAYLOAD_V2', raw(hash)), /policies denied/);
  denied(await client.submit('SIGN_RAW_PAYLOADS', { ...rest, payloads: [payload] }), /policies denied/);
  denied(
    await client.submit('SIGN_RAW_PAYLOAD_V2', raw(transaction(6n), undefined, 'HASH_FUNCTION_KECCAK256')),
    /policies denied/,
  );
  denied(
    await client.submit('SIGN_RAW_PAYLOAD_V2', raw('hi', 'PAYLOAD_ENCODING_TEXT_UTF8', 'HASH_FUNCTION_SHA256')),
    /policies denied/,
  );
  denied(await sign(6n), /policies denied/);
  resultOf(await sign(5n), 'signTransactionResult');
  resultOf(await client.submit('SIGN_RAW_PAYLOAD_V2', raw(typedData, 'PAYLOAD_ENCODING_EIP712')), 'signRawPayloadResult');
});
