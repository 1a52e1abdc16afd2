import { after } from 'node:test';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type ChainNode, chainNodes } from '../../../src/chain-io/nodes/chain-nodes.ts';
import type { EvmNode } from '../../../src/chain-io/nodes/evm/node.ts';
import type { SolanaNode } from '../../../src/chain-io/nodes/solana/node.ts';
import type { Network } from '../../../src/model/caip2.ts';

export type Line = { level: string; fields: Record<string, unknown>; message: string };

/** A clock that moves when it is told to. */
export function clockAt(now: number) {
  return {
    now: () => now,
    move: (ms: number) => {
      now += ms;
    },
  };
}

/** Only a test with a silent endpoint waits this long. */
const PATIENCE_MS = 60_000;

function opened(network: Network, urls: readonly string[], milliseconds = PATIENCE_MS) {
  const lines: Line[] = [];
  const write = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, fields, message });
  const elapsed = clockAt(1_000_000);
  const log = { info: write('info'), warn: write('warn'), error: write('error') };
  const nodes = chainNodes({
    settings: [{ network, urls }],
    elapsed,
    machine: clockAt(Date.parse('2026-01-01T00:00:00Z')),
    log,
    milliseconds,
  });
  after(() => nodes.close());
  return { node: nodes.chainNode(network.caip2) as ChainNode, elapsed, lines };
}

export const CHAIN_ID = 31337n;

const evmWithin =
  (milliseconds?: number) =>
  (...urls: string[]) => {
    const { node, ...rest } = opened({ kind: 'eip155', caip2: `eip155:${CHAIN_ID}`, chainId: CHAIN_ID }, urls, milliseconds);
    return { node: node as EvmNode, ...rest };
  };
export const evm = evmWithin();
/** For endpoints that never answer. */
export const impatientEvm = evmWithin(2000);

export function solana(network: Network, ...urls: string[]) {
  const { node, ...rest } = opened(network, urls);
  return { node: node as SolanaNode, ...rest };
}

/** anvil’s own accounts, from its well-known mnemonic. */
export const ALICE = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
export const BOB = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');

export type Transfer = {
  nonce: number;
  value?: bigint;
  maxFeePerGas?: bigint;
  gas?: bigint;
  to?: Hex;
  data?: Hex;
  chainId?: number;
};

export const transfer = ({
  nonce,
  value = 1n,
  maxFeePerGas = 10_000_000_000n,
  gas = 21_000n,
  to = BOB.address,
  data,
  chainId,
}: Transfer) =>
  ALICE.signTransaction({
    type: 'eip1559',
    chainId: chainId ?? Number(CHAIN_ID),
    nonce,
    to,
    value,
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas: maxFeePerGas < 1_000_000_000n ? maxFeePerGas : 1_000_000_000n,
    ...(data === undefined ? {} : { data }),
  });
