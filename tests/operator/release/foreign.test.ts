/** A copy's sends that were not signed, beside transactions of their account that the copy does not know. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EvmNode } from '../../../src/chain-io/nodes/evm/node.ts';
import type { SolanaNode } from '../../../src/chain-io/nodes/solana/node.ts';
import type { SolanaKept } from '../../../src/chain-io/nodes/solana/scan.ts';
import type { Quarantine } from '../../../src/model/quarantine.ts';
import type { Send } from '../../../src/model/send.ts';
import { judgeEvm } from '../../../src/operator/release/evm.ts';
import { type JudgedAccount, newestOf, oldBlock } from '../../../src/operator/release/fates.ts';
import { judgeSolana } from '../../../src/operator/release/solana.ts';
import type { Reader } from '../../../src/store/types.ts';

const KEY = { caip2: 'a network', account: 'the account' };
const OURS = { nonce: null, hash: '', intent: { form: 'call', nonce: null, blockhash: 'chosen' } };
const send = (id: string, facts: object) => ({ ...OURS, id, ...facts }) as unknown as Send;
const fatesOf = ({ judged }: JudgedAccount) => Object.fromEntries(judged.map(({ send: { id }, fate }) => [id, fate]));

/** `landed`: the last hash that the copy saw in a block. `given`: the nonce of a send that is out. */
const rows = ({ nextNonce = null, landed, given }: { nextNonce?: number | null; landed?: string; given?: number }) =>
  ({
    sendAccounts: { get: async () => ({ nextNonce, knownNonce: null }) },
    sendsOfAccount: {
      lastByNonce: async (_: object, state: string) => (given !== undefined && state === 'sent' ? [{ nonce: given }] : []),
      latest: async (_: object, state: string) => (landed !== undefined && state === 'final' ? [{ hash: landed }] : []),
    },
    sendAttempts: { ofSend: async () => [] },
  }) as unknown as Reader;

async function onEvm(given: number, latest: number, nextNonce: number) {
  const node = { nonce: async () => BigInt(latest) } as unknown as EvmNode;
  const sends = [send('given', { state: 'sent', nonce: given }), send('queued', { state: 'queued' })];
  return fatesOf(await judgeEvm(node, rows({ nextNonce, given }), KEY, sends));
}

test('a nonce that a caller gave in advance does not hide unknown transactions before it', async () => {
  assert.deepEqual(await onEvm(5, 1, 0), { given: 'waits', queued: 'maybe sent' });
  assert.deepEqual(await onEvm(5, 0, 0), { given: 'waits', queued: 'safe' });
  assert.deepEqual(await onEvm(1, 1, 1), { given: 'waits', queued: 'safe' });
});

const [ACCEPTED, NOW] = [1_700_000_000_000, 1_700_000_900_000];
/** Seconds: the first block that the node has, and the last one. */
const BLOCKS = { from: ACCEPTED / 1000, to: NOW / 1000 };

/** `chain`: the signatures of the account’s transactions, the newest first. */
async function onSolana(chain: readonly string[], landed?: string, blocks: Omit<SolanaKept, 'signatures'> = BLOCKS) {
  const scans = {
    kept: async () => ({ signatures: chain.map((signature) => ({ signature, slot: 1 })), ...blocks }),
    transactions: async (wanted: readonly string[]) =>
      wanted.map((signature) => ({ signature, signers: [{ address: signature === 'received' ? 'another' : KEY.account }] })),
  };
  const node = { caip2: KEY.caip2, scans, statuses: async () => [{ value: undefined }] } as unknown as SolanaNode;
  const facts = { kind: 'solana', createdAt: ACCEPTED };
  const sends = [send('out', { ...facts, state: 'sent', hash: 'out' }), send('queued', { ...facts, state: 'queued' })];
  return fatesOf(await judgeSolana(node, rows(landed === undefined ? {} : { landed }), KEY, sends, NOW)).queued;
}

test('a send that landed on Solana after the copy does not hide unknown transactions before it', async () => {
  assert.equal(await onSolana(['out', 'unknown', 'old'], 'old'), 'maybe sent');
  assert.equal(await onSolana(['unknown', 'out', 'old'], 'old'), 'maybe sent');
  assert.equal(await onSolana(['received', 'out', 'old', 'before it'], 'old'), 'safe');
  assert.equal(await onSolana(['out', 'received']), 'safe');
});

test('a node of Solana that lacks blocks since a send was accepted proves nothing', async () => {
  const { from, to } = BLOCKS;
  for (const late of [undefined, from! + 1])
    assert.equal(await onSolana(['received'], undefined, { from: late, to }), 'held', String(late));
  assert.equal(await onSolana(['received', 'old'], 'old', { from: undefined, to }), 'safe');
  for (const old of [undefined, to! - 1]) assert.equal(await onSolana(['old'], 'old', { from, to: old }), 'held', String(old));
});

test('the latest block of a chain is of after the copy’s first start, or at most a minute old', () => {
  const startedAgo = (minutes: number) => ({ refusesBefore: NOW - minutes * 60_000 + 300_000 }) as Quarantine;
  assert.equal(newestOf(startedAgo(5), NOW), NOW - 300_000);
  assert.equal(newestOf(startedAgo(60), NOW), NOW - 900_000, 'an endpoint that stopped following proves nothing');
  assert.equal(newestOf({ ...startedAgo(5), refusesBefore: null }, NOW), NOW - 60_000);
  assert.match(oldBlock('a network', NOW - 60_001, NOW - 60_000)!, /^the latest block of a network is of /);
});
