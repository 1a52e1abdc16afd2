/** A cluster of two endpoints. One lies about the end of a send that a limit over time has counted. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PublicKey } from '@solana/web3.js';
import { aggregation, velocityControl } from '../../../activities/velocity-controls/support.ts';
import { resultOf } from '../../../support/client.ts';
import { sharedInstance } from '../../../support/instance.ts';
import { startLiar } from '../../../support/rpc-liar.ts';
import { startSolanaNode } from '../../../support/solana-node.ts';
import { DEVNET, newAccounts, sendOf, TYPE, transaction, transfer, whenRow } from './support.ts';

const node = await startSolanaNode('devnet');
const [liar, honest] = [await startLiar(node.url), await startLiar(node.url)];
after(async () => {
  for (const { stop } of [liar, honest, node]) await stop();
});
const instance = await sharedInstance({ RPC_URL_SOLANA_DEVNET: `${liar.url},${honest.url}` });
const sending = { instance, node, liar, url: liar.url };
const { root, clock } = instance;

const control = velocityControl({
  dataSource: { chainAssetTransfer: { definition: [{ caip19: `${DEVNET}/slip44:501`, decimals: '9' }] } },
  countersign: { enforcement: 'ALWAYS', unreadable: 'COUNT_ONLY_READABLE' },
  aggregation: aggregation({ threshold: '1000000' }),
});
const { velocityControlId } = resultOf(await root.submit('CREATE_VELOCITY_CONTROL', control), 'createVelocityControlResult');

async function stateOf(activityId: string): Promise<string> {
  const { velocityEntries } = (await root.query('list_velocity_entries', { velocityControlId })).body;
  return velocityEntries.find((entry: { activityId: string }) => entry.activityId === activityId).state;
}

const FAILED = { slot: 1, confirmations: null, err: { InstructionError: [0, 'Custom'] }, confirmationStatus: 'finalized' };

test('a send that one endpoint alone calls failed for good stays reserved', async () => {
  const [payer] = (await newAccounts(sending, root, 1)) as [PublicKey];
  node.lose(1000);
  liar.lie({ kind: 'result', result: { context: { slot: 1 }, value: [FAILED] } }, { methods: ['getSignatureStatuses'] });
  const answer = await root.submit(TYPE, sendOf([payer], transaction({ payer }, transfer(payer))));
  const { sendTransactionStatusId: id } = resultOf(answer, 'solSendTransactionResultV2');
  const { activityId } = await whenRow(sending, id, 'included', () => clock.advance(1_000));
  assert.equal(await stateOf(activityId), 'RESERVED');
  clock.advance(600_000);
  await whenRow(sending, id, 'final', () => clock.advance(2_500));
  assert.equal(await stateOf(activityId), 'RESERVED');
});
