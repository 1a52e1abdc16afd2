/** Readers of transfers throw nothing, whatever they get, and their work is bounded by it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serializeTransaction } from 'viem';
import { transactionTransfers, transferReaders } from '../../src/chains/read-transfers.ts';
import { payloadTransfers } from '../../src/chains/shared/payload-transfers.ts';
import { covers, type Reading } from '../../src/chains/shared/transfers.ts';
import { transactionTypes } from '../../src/chains/transactions.ts';
import { TRANSFERS_BY_KIND } from '../../src/domain/transfers/kinds.ts';
import { rounds } from '../support/full.ts';
import { seeded } from '../support/seeded.ts';
import * as psbt from './bitcoin-psbts.ts';
import { mutated, someBytes, someTransaction, write } from './solana-cases.ts';
import { call, publicKey, signer, USDC, usdc, YOU } from './transfers-making.ts';
import { messages, typedText } from './transfers-typed.ts';

function check({ transfers, unreadable }: Reading): void {
  for (const { amount, kind, from } of transfers) {
    assert.ok(amount > 0n && amount < 2n ** 256n + 2n ** 200n, `${amount}`);
    assert.ok(kind && typeof from === 'string');
  }
  for (const { why } of unreadable) assert.ok(why.length < 600, why);
}

const ethereum = Buffer.from(
  serializeTransaction({
    type: 'eip1559',
    chainId: 1,
    nonce: 7,
    gas: 60_000n,
    maxFeePerGas: 9n,
    to: USDC,
    value: 7n,
    data: call('transfer', YOU, 5n),
  }).slice(2),
  'hex',
);
const bitcoin = psbt.bytesOf(
  psbt.build({
    inputs: [{ name: 'p2wpkh', of: psbt.mine, value: 9_000n, utxo: 'both' }],
    outputs: [psbt.payment].map((one) => ({ ...one, value: 5n })),
  }),
);
const tron = Buffer.from(
  '0a0229272208939ece39d08a7abe40d8c483c1dd335a67080112630a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412320a1541dd791d6b49e190062d650e6a23c575510d35f2f912154192ad11c1bf16b3b14b0bd6b5c7e2db73a0b5e83a18c0843d70d68780c1dd33',
  'hex',
);

test('each type of transactions has a reader of transfers, and only these', () => {
  assert.deepEqual([...transferReaders.keys()].sort(), transactionTypes.map(({ name }) => name).sort());
});

test('damaged and random bytes: amounts or a reason, never an error', () => {
  const random = seeded(36);
  const outcomes = { read: 0, unread: 0 };
  const attempt = (type: string, bytes: Uint8Array, by: typeof signer | Parameters<typeof transactionTransfers>[2]) => {
    const reading = transactionTransfers(type, bytes, by);
    check(reading);
    outcomes[reading.unreadable.some(({ cause }) => cause === 'transaction') ? 'unread' : 'read']++;
  };
  for (let i = 0; i < rounds(1_000); i++) {
    attempt('TRANSACTION_TYPE_ETHEREUM', mutatedAnywhere(random, ethereum), signer);
    attempt('TRANSACTION_TYPE_TEMPO', Buffer.concat([Buffer.of(0x76), someBytes(random, random(200))]), signer);
    attempt('TRANSACTION_TYPE_TRON', mutatedAnywhere(random, tron), signer);
    attempt('TRANSACTION_TYPE_BITCOIN', mutatedAnywhere(random, bitcoin), psbt.signer(psbt.mine));
    const solana = someTransaction(random)?.bytes ?? write();
    const key = solana.subarray(1 + 64 * solana[0]! + (solana[1 + 64 * solana[0]!]! >= 0x80 ? 1 : 0) + 4);
    attempt('TRANSACTION_TYPE_SOLANA', mutated(random, solana), { curve: 'CURVE_ED25519', publicKey: key.subarray(0, 32) });
    for (const { name } of transactionTypes) attempt(name, someBytes(random, random(300)), signer);
    check(TRANSFERS_BY_KIND.ETH_SEND_RAW_TRANSACTION(mutatedAnywhere(random, ethereum)));
  }
  assert.ok(outcomes.read > rounds(200) && outcomes.unread > rounds(1_000), JSON.stringify(outcomes));
});

function mutatedAnywhere(random: (n: number) => number, base: Buffer): Buffer {
  const bytes = Buffer.from(base);
  for (let i = random(3); i > 0; i--) bytes[random(bytes.length)] = random(256);
  return random(8) ? bytes : bytes.subarray(0, random(bytes.length));
}

test('damaged typed data: amounts or a reason, never an error', () => {
  const random = seeded(37);
  const texts = Object.values(messages).map((each) => typedText(each));
  for (let i = 0; i < rounds(4_000); i++) {
    const text = [...texts[random(texts.length)]!];
    for (let k = random(3); k >= 0; k--) text[random(text.length)] = String.fromCharCode(32 + random(95));
    check(payloadTransfers({ payload: text.join(''), encoding: 'PAYLOAD_ENCODING_EIP712', curve: 'CURVE_SECP256K1', publicKey }));
  }
});

test('the largest payload of amounts is read in a moment', () => {
  const permitted = Array.from({ length: 3_000 }, () => ({ token: USDC, amount: '5' }));
  const one = messages.PermitBatchTransferFrom;
  const text = typedText({ ...one, message: { ...one.message, permitted } });
  const reading = payloadTransfers({ payload: text, encoding: 'PAYLOAD_ENCODING_EIP712', curve: 'CURVE_SECP256K1', publicKey });
  assert.equal(reading.transfers.filter(({ asset }) => covers(asset, usdc)).length, 3_000);
});
