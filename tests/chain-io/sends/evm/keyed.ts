import type { Hex, PrivateKeyAccount } from 'viem';
import { feesFor } from '../../../../src/chain-io/nodes/evm/fees.ts';
import type { EvmNode } from '../../../../src/chain-io/nodes/evm/node.ts';
import { type EvmSend, readEvm } from '../../../../src/chain-io/sends/evm/read.ts';
import { type EvmTools, signEvm } from '../../../../src/chain-io/sends/evm/sign.ts';
import { signDigest } from '../../../../src/crypto/curves.ts';
import type { EvmIntent } from '../../../../src/model/send.ts';
import { newAccount, type World } from '../../../contracts/support.ts';

export type Key = { account: PrivateKeyAccount; tools: EvmTools };

const bytes = (hex: Hex) => Buffer.from(hex.slice(2), 'hex');

/** A key of a user, as the vault signs with it, and a paymaster. */
export function keyed(privateKey: Hex, account: PrivateKeyAccount, paymaster: Hex): Key {
  const key = (secret: Hex) => (digest: Uint8Array) => signDigest('CURVE_SECP256K1', bytes(secret), digest);
  const vault = {
    sign: (_key: unknown, _scheme: unknown, inputs: readonly object[]) =>
      inputs.map((input) => key(privateKey)((input as { digest: Uint8Array }).digest)),
  };
  const signer = { signer: {}, purpose: 'private-key', sealed: Buffer.alloc(0) };
  return { account, tools: { vault, signer, paymaster: { signDigest: key(paymaster) } } as never };
}

export const intentOf = (more: Partial<EvmIntent>): EvmIntent => ({
  form: 'call',
  signWith: '',
  calls: [],
  gas: '1000000',
  fees: { gasPrice: '0' },
  feesGiven: false,
  nonce: null,
  gasStationNonce: null,
  deadline: null,
  ...more,
});

export const sendBy = (from: string, intent: EvmIntent, more: Partial<EvmSend> = {}): EvmSend => ({
  caip2: 'eip155:31337',
  account: from.toLowerCase(),
  fromAddress: from.toLowerCase(),
  messageNonce: null,
  createdAt: Date.now(),
  intent,
  ...more,
});

/** Reads, signs, gives it to the chain, and waits for its receipt. */
export async function landed(world: World, node: EvmNode, tools: EvmTools, send: EvmSend) {
  const now = Date.now();
  const reading = await readEvm(node, send, now);
  if (reading.is !== 'ready') throw new Error(reading.message);
  const nonce = await node.nonce(send.account as Hex, 'pending');
  const fees = feesFor(await node.prices());
  const { signed, hash } = signEvm(tools, send, { nonce, fees, reading, messageNonce: reading.messageNonce, now });
  const sent = await node.send(`0x${Buffer.from(signed).toString('hex')}`);
  if (sent.outcome !== 'sent') throw new Error(JSON.stringify(sent.answers));
  return { ...(await world.node.waitForTransactionReceipt({ hash })), reading, bytes: signed };
}

export { newAccount };
