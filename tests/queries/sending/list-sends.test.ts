import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { wireTimestamp } from '../../../src/base/time.ts';
import type { Send } from '../../../src/model/send.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused, refusesEachQuery } from '../../support/refusals.ts';
import { hexOf, newSend, type SendFacts } from '../../support/world/sends.ts';

/** No node answers there, so its sends wait. */
const instance = await sharedInstance({ RPC_URL_EIP155_777: 'http://127.0.0.1:9' });
const { root } = instance;
const NAME = 'list_sends';
const place = { instance, client: root };
const [ANN, BOB] = [hexOf(20), hexOf(20)];
const OTHER = 'eip155:434343';

/** Oldest first. */
const made: Send[] = [];
before(async () => {
  const facts: [string, SendFacts][] = [
    [ANN, { state: 'final', blockNumber: 7, blockHash: hexOf(32) }],
    [ANN, { state: 'failed', error: { message: 'insufficient funds' } }],
    [BOB, { state: 'sent', caip2: OTHER }],
    [BOB, { state: 'sent', sponsored: true, account: hexOf(20) }],
    [ANN, { state: 'signed' }],
    [ANN, { state: 'sent', caip2: OTHER }],
    [ANN, { state: 'queued', nonce: null, hash: '', attempts: [] }],
  ];
  for (const [from, fact] of facts) {
    made.push(await newSend(place, from, fact));
    instance.clock.advance(1000);
  }
});

const idOf = ({ sendTransactionStatusId }: { sendTransactionStatusId: string }) => sendTransactionStatusId;
/** By their place in `made`. */
async function listed(parameters: object): Promise<number[]> {
  const { status, body, text } = await root.query(NAME, parameters);
  assert.equal(status, 200, text);
  return body.sends.map((row: never) => made.findIndex(({ id }) => id === idOf(row)));
}

test('a row has everything about a send', async () => {
  const wish = {
    what: 'speed-up' as const,
    activityId: NOBODY,
    reason: 'slow',
    fees: { maxFeePerGas: '9', maxPriorityFeePerGas: '1' },
  };
  const first = hexOf(32);
  const attempts = [{ hash: first }, { fees: { maxFeePerGas: '3000000000', maxPriorityFeePerGas: '2000000000' } }];
  const facts = { caip2: 'eip155:99', blockNumber: 12, blockHash: hexOf(32), state: 'included' as const, wish, attempts };
  const send = await newSend(place, BOB, facts);
  const { createdAt } = send;
  const { body } = await root.query(NAME, { sendTransactionStatusId: send.id });
  const signed = { purpose: 'send', createdAt: wireTimestamp(createdAt) };
  assert.deepEqual(body, {
    sends: [
      {
        sendTransactionStatusId: send.id,
        organizationId: root.organizationId,
        activityId: send.activityId,
        txStatus: 'INCLUDED',
        final: false,
        caip2: 'eip155:99',
        from: BOB,
        account: BOB,
        sponsored: false,
        nonce: '5',
        hash: send.hash,
        attempts: [
          { ...signed, number: 1, hash: first, maxFeePerGas: '2000000000', maxPriorityFeePerGas: '1000000000' },
          { ...signed, number: 2, hash: send.hash, maxFeePerGas: '3000000000', maxPriorityFeePerGas: '2000000000' },
        ],
        block: { number: '12', hash: facts.blockHash },
        wish: { what: 'speed-up', activityId: NOBODY, reason: 'slow', maxFeePerGas: '9', maxPriorityFeePerGas: '1' },
        createdAt: wireTimestamp(createdAt),
        updatedAt: wireTimestamp(createdAt),
      },
    ],
  });
  made.push(send);
  // The block in which another transaction was seen to have its nonce.
  const client = (await instance.newSubOrganization('Waiting', 1, 1)).clients[0]!;
  await newSend({ instance, client }, BOB, { state: 'sent', blockNumber: 3 });
  assert.equal((await client.query(NAME, {})).body.sends[0].block, undefined);
});

test('newest first, by each filter and by several', async () => {
  assert.deepEqual(await listed({ filterByCaip2: 'eip155:424242' }), [6, 4, 3, 1, 0]);
  assert.deepEqual(await listed({ filterByCaip2: OTHER }), [5, 2]);
  assert.deepEqual(await listed({ filterByFrom: ANN }), [6, 5, 4, 1, 0]);
  assert.deepEqual(await listed({ filterByFrom: `0x${ANN.slice(2).toUpperCase()}`, filterByCaip2: OTHER }), [5]);
  assert.deepEqual(await listed({ filterByStatus: ['BROADCASTING'] }), [5, 3, 2]);
  assert.deepEqual(await listed({ filterByStatus: ['INITIALIZED', 'FAILED'] }), [6, 4, 1]);
  assert.deepEqual(await listed({ filterByStatus: ['BROADCASTING'], filterByFrom: BOB, filterByCaip2: OTHER }), [2]);
  assert.deepEqual(await listed({ filterBySponsored: true }), [3]);
  assert.deepEqual(await listed({ filterByActivityId: made[3]!.activityId }), [3]);
  assert.deepEqual(await listed({ filterByStatus: [], filterByFrom: hexOf(20) }), []);
});

test('by when they were asked for', async () => {
  const at = (i: number) => String(made[i]!.createdAt);
  assert.deepEqual(await listed({ createdFromMs: at(2), createdUntilMs: at(4) }), [4, 3, 2]);
  assert.deepEqual(await listed({ createdUntilMs: at(1) }), [1, 0]);
  assert.deepEqual(await listed({ createdFromMs: at(5), filterByCaip2: 'eip155:424242' }), [6]);
  assert.deepEqual(await listed({ createdFromMs: '0', createdUntilMs: '1' }), []);
});

test('page by page, forward and back', async () => {
  for (const filter of [
    { filterByFrom: ANN },
    { filterByStatus: ['INITIALIZED', 'BROADCASTING', 'INCLUDED', 'FAILED'], filterByFrom: ANN },
  ]) {
    const page = (more: object) => root.query(NAME, { ...filter, paginationOptions: { limit: '2', ...more } });
    const pages: number[][] = [];
    let next: string | undefined;
    do {
      const { body } = await page(next === undefined ? {} : { after: next });
      pages.push(body.sends.map((row: never) => made.findIndex(({ id }) => id === idOf(row))));
      next = body.next;
    } while (next !== undefined);
    assert.deepEqual(pages.flat(), [6, 5, 4, 1, 0]);
    const back = await page({ before: made[1]!.id });
    assert.deepEqual(back.body.sends.map(idOf), [made[5]!.id, made[4]!.id]);
    const between = await page({ after: made[6]!.id, before: made[4]!.id });
    assert.deepEqual(between.body.sends.map(idOf), [made[5]!.id]);
  }
  const states = await root.query(NAME, {
    filterByStatus: ['INITIALIZED', 'BROADCASTING'],
    paginationOptions: { limit: '1', before: made[4]!.id },
  });
  assert.deepEqual(states.body.sends.map(idOf), [made[5]!.id]);
});

test('a rare row among many is found over several pages, none of which looks at all rows', async () => {
  const many = await instance.newSubOrganization('Many', 1, 1);
  const client = many.clients[0]!;
  const rare = await newSend({ instance, client }, BOB, { sponsored: true });
  await Promise.all(Array.from({ length: 2010 }, () => newSend({ instance, client }, BOB, { attempts: [] })));
  const first = (await client.query(NAME, { filterBySponsored: true })).body;
  assert.deepEqual(first.sends, []);
  const second = (await client.query(NAME, { filterBySponsored: true, paginationOptions: { after: first.next } })).body;
  assert.deepEqual([second.sends.map(idOf), second.next], [[rare.id], undefined]);
});

test('by activity: that which asked for it, cancelled it, or sped it up', async () => {
  const { id } = await newSend(place, BOB, { caip2: 'eip155:98' });
  const reason = 'slow';
  const answer = await root.submit('COUNTERSIGN_SPEED_UP_SEND', { sendTransactionStatusId: id, reason });
  resultOf(answer, 'countersignSpeedUpSendResult');
  const { body } = await root.query(NAME, { filterByActivityId: answer.body.activity.id });
  assert.deepEqual(body.sends.map(idOf), [id]);
  const wallet = await root.submit('CREATE_WALLET', { walletName: 'Not a send', accounts: [] });
  assert.deepEqual((await root.query(NAME, { filterByActivityId: wallet.body.activity.id })).body, { sends: [] });
});

test('by activity: one that came signed, before anything was done with it', async () => {
  const account = privateKeyToAccount(generatePrivateKey());
  const common = { chainId: 777, type: 'eip1559', to: `0x${'aa'.repeat(20)}`, gas: 21_000n, maxFeePerGas: 9n } as const;
  for (const nonce of [0, 1, 2]) {
    const signedTransaction = await account.signTransaction({ ...common, nonce });
    // The same one twice is two sends.
    for (let times = 0; times < 2; times++) {
      const { body } = await root.submit('ETH_SEND_RAW_TRANSACTION', { signedTransaction, caip2: 'eip155:777' });
      const activityId = body.activity.id;
      const { sends } = (await root.query(NAME, { filterByActivityId: activityId })).body;
      assert.deepEqual(
        sends.map((row: Send) => [row.activityId, row.caip2]),
        [[activityId, 'eip155:777']],
      );
    }
  }
});

test('those of other organizations are not there', async () => {
  const below = (await instance.newSubOrganization('Below', 1, 1)).clients[0]!;
  assert.deepEqual((await below.query(NAME, {})).body, { sends: [] });
  const { id } = made[0]!;
  const refusal: [number, string, RegExp] = [
    404,
    'UNSPECIFIED',
    new RegExp(`send not found: sendTransactionStatusId names ${id}`),
  ];
  refused(await below.query(NAME, { sendTransactionStatusId: id }), refusal);
  assert.deepEqual((await below.query(NAME, { filterByActivityId: made[0]!.activityId })).body, { sends: [] });
});

test('parameters', () =>
  refusesEachQuery(root, NAME, [
    [
      { filterByCaip2: 'bip122:1' },
      'filterByCaip2',
      /must be the CAIP-2 name of a network.*: this service cannot serve bip122:1/,
    ],
    [{ filterByFrom: '' }, 'filterByFrom', /./],
    [{ createdFromMs: 'x' }, 'createdFromMs', /milliseconds since the epoch/],
  ]));
