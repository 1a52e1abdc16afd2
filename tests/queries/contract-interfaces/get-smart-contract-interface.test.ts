import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getSmartContractInterface } from '../../../src/queries/contract-interfaces/get-smart-contract-interface.ts';
import { samples } from '../../support/all-samples.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { hidesOthers } from '../support.ts';

const instance = await sharedInstance();

const QUERY = 'get_smart_contract_interface';
const sent = samples('CREATE_SMART_CONTRACT_INTERFACE') as Record<string, string>;
const newInterface = async (client: Client): Promise<string> =>
  resultOf(await client.submit('CREATE_SMART_CONTRACT_INTERFACE', sent), 'createSmartContractInterfaceResult')
    .smartContractInterfaceId;

test('one interface', async () => {
  const smartContractInterfaceId = await newInterface(instance.root);
  const { body } = await instance.root.query(QUERY, { smartContractInterfaceId });
  assert.deepEqual(getSmartContractInterface.result.parse(body), body, 'the answer has its declared shape');
  const { createdAt, updatedAt, ...rest } = body.smartContractInterface;
  const { organizationId } = instance.root;
  assert.deepEqual(rest, { ...sent, notes: '', organizationId, smartContractInterfaceId });
  assert.deepEqual(createdAt, updatedAt);
});

test('the parent reads it; elsewhere it is nothing', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const smartContractInterfaceId = await newInterface(sub.clients[0]!);
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  assert.equal((await parent.query(QUERY, { smartContractInterfaceId })).status, 200);
  await hidesOthers(instance.root, QUERY, 'smartContractInterfaceId', smartContractInterfaceId, /interface not found/);
});
