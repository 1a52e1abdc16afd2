import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ethereumAccount, resultOf } from '../../../support/client.ts';
import { engineName } from '../../../support/database.ts';
import { waitFor } from '../../../support/wait.ts';
import { CHAIN, ETHER, hex, startSends } from './support.ts';

const world = await startSends({ anvil: ['--no-mining'] });
after(() => world.stop());

test(`sends of an organization go on when it is deleted, on ${engineName}`, async () => {
  const { instance, store, ask } = world;
  const { clients } = await instance.newSubOrganization('Leaves', 1, 1);
  const client = clients[0]!;
  const wallet = { walletName: 'Leaves', accounts: [ethereumAccount()] };
  const [from] = resultOf(await client.submit('CREATE_WALLET', wallet), 'createWalletResult').addresses as [string];
  await ask('anvil_setBalance', from, hex(ETHER));
  const sent = { from, to: from, caip2: CHAIN, value: '1', gasLimit: '21000' };
  const asked = await client.submit('ETH_SEND_TRANSACTION', sent);
  const id: string = resultOf(asked, 'ethSendTransactionResult').sendTransactionStatusId;
  const stateOf = async () => (await store.read.sends.get(client.organizationId, id))?.state;
  const until = (state: string) => waitFor(`the send is ${state}`, async () => (await stateOf()) === state);
  await until('sent');
  resultOf(await client.submit('DELETE_SUB_ORGANIZATION', { deleteWithoutExport: true }), 'deleteSubOrganizationResult');
  assert.equal(await stateOf(), 'sent', 'its row stays: somebody may have the transaction');
  await ask('evm_mine');
  await until('included');
  assert.equal(await world.nonceOf(from), 1);
});
