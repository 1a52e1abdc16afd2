/** A chain of the bench: anvil, and the requests to it. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { startAnvil } from '../../tests/support/anvil.ts';
import { CAIP2, GIVEN_FEES } from './workloads.ts';

const CHAIN_ID = Number(CAIP2.split(':')[1]);
const FUNDS = `0x${(10n ** 22n).toString(16)}`;
const LOOK_EVERY_MS = 10;
const STUCK_AFTER_MS = 60_000;
/** Anvil, when it is busy, sometimes forgets to mine what it has, until something reminds it. */
const REMIND_AFTER_MS = 300;
const AT_ONCE = 8;

/** A fault of anvil: it sometimes takes transactions that arrive together for ones out of order, for ever. */
export class Stuck extends Error {}

const TRIES = 5;

/** Begins anew where anvil is stuck. */
export async function unstuck<T>(say: (text: string) => void, measure: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await measure();
    } catch (error) {
      if (tries === TRIES || !(error instanceof Stuck)) throw error;
      say('anvil is stuck: once more');
    }
  }
}

export type Chain = {
  url: string;
  pid: number;
  fund(address: string): Promise<void>;
  /** Of the latest block. */
  nonce(address: string): Promise<number>;
  balance(address: string): Promise<bigint>;
  block(): Promise<number>;
  /** Gives it signed transactions, in their order. */
  send(signed: readonly Hex[], connections?: number): Promise<void>;
  /**
   * Resolves when the account has used this number of nonces, with the number of reminders that anvil needed. Throws when no
   * more come for a minute.
   */
  untilNonce(address: string, count: number): Promise<number>;
  stop(): Promise<void>;
};

/** `blockTime`: seconds; without, each transaction is mined as it comes. */
export async function startChain(blockTime?: number): Promise<Chain> {
  const anvil = await startAnvil(...(blockTime === undefined ? [] : ['--block-time', String(blockTime)]));
  const agent = new Agent({ keepAlive: true });

  function ask<T = string>(method: string, params: readonly unknown[]): Promise<T> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const asked = request(anvil.url, { method: 'POST', agent, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () => {
          const { result, error } = JSON.parse(text) as { result: T; error?: { message: string } };
          if (error) reject(new Error(`${method}: ${error.message}`));
          else resolve(result);
        });
      });
      asked.on('error', reject);
      asked.end(body);
    });
  }

  const nonce = async (address: string) => Number(await ask('eth_getTransactionCount', [address, 'latest']));

  /** Whether anvil holds back the account's next transaction, as if one before it were missing. Nothing brings it on then. */
  async function isHeldBack(address: string, next: number): Promise<boolean> {
    const { queued } = await ask<{ queued: Record<string, Record<string, unknown>> }>('txpool_content', []);
    const own = Object.entries(queued).find(([sender]) => sender.toLowerCase() === address.toLowerCase());
    return own !== undefined && String(next) in own[1] && (await nonce(address)) === next;
  }

  /** Makes anvil mine the transactions that it forgot. Returns whether there were any. */
  async function remind(): Promise<boolean> {
    const { pending } = await ask<{ pending: string }>('txpool_status', []);
    if (Number(pending) === 0) return false;
    await ask('evm_mine', []);
    return true;
  }

  return {
    url: anvil.url,
    pid: anvil.pid,
    fund: async (address) => void (await ask('anvil_setBalance', [address, FUNDS])),
    nonce,
    balance: async (address) => BigInt(await ask('eth_getBalance', [address, 'latest'])),
    block: async () => Number(await ask('eth_blockNumber', [])),
    async send(signed, connections = AT_ONCE) {
      let next = 0;
      const one = async () => {
        while (next < signed.length) await ask('eth_sendRawTransaction', [signed[next++]]);
      };
      await Promise.all(Array.from({ length: connections }, one));
    },
    async untilNonce(address, count) {
      let seen = 0;
      let reminded = 0;
      let remindedAt = 0;
      for (let since = performance.now(); performance.now() - since < STUCK_AFTER_MS; await sleep(LOOK_EVERY_MS)) {
        const used = await nonce(address);
        if (used >= count) return reminded;
        if (used > seen) since = performance.now();
        seen = used;
        if (blockTime !== undefined || performance.now() - Math.max(since, remindedAt) < REMIND_AFTER_MS) continue;
        remindedAt = performance.now();
        if (await remind()) reminded++;
        else if (await isHeldBack(address, used)) throw new Stuck();
      }
      throw new Error(`${seen} of ${count} transactions were mined, and no more for a minute`);
    },
    async stop() {
      agent.destroy();
      await anvil.stop();
    },
  };
}

export type Signed = { address: string; transactions: Hex[] };

/** Transfers of an account of its own, as GIVEN of the workloads sends them. */
export async function signedTransfers(to: Hex, count: number): Promise<Signed> {
  const account = privateKeyToAccount(generatePrivateKey());
  const transactions: Hex[] = [];
  for (let nonce = 0; nonce < count; nonce++)
    transactions.push(
      await account.signTransaction({
        type: 'eip1559',
        chainId: CHAIN_ID,
        nonce,
        to,
        value: BigInt(nonce + 1),
        gas: BigInt(GIVEN_FEES.gasLimit),
        maxFeePerGas: BigInt(GIVEN_FEES.maxFeePerGas),
        maxPriorityFeePerGas: BigInt(GIVEN_FEES.maxPriorityFeePerGas),
      }),
    );
  return { address: account.address, transactions };
}
