import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSmartContractInterfaces } from '../../../src/queries/contract-interfaces/list-smart-contract-interfaces.ts';
import { samples } from '../../support/all-samples.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();

const QUERY = 'list_smart_contract_interfaces';
const labelled = (label: string) => ({ ...(samples('CREATE_SMART_CONTRACT_INTERFACE') as object), label });

test('none at first; then all, in the order of creation, each as get_smart_contract_interface shows it', async () => {
  assert.deepEqual((await instance.root.query(QUERY)).body, { smartContractInterfaces: [] });
  const shown: object[] = [];
  for (const label of ['c', 'a', 'b']) {
    const answer = await instance.root.submit('CREATE_SMART_CONTRACT_INTERFACE', labelled(label));
    const id = resultOf(answer, 'createSmartContractInterfaceResult');
    shown.push((await instance.root.query('get_smart_contract_interface', id)).body.smartContractInterface);
  }
  const { body } = await instance.root.query(QUERY);
  assert.deepEqual(listSmartContractInterfaces.result.parse(body), body, 'the answer has its declared shape');
  assert.deepEqual(body.smartContractInterfaces, shown);
});

test('each organization’s own; the parent reads those of its sub-organizations', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const answer = await sub.clients[0]!.submit('CREATE_SMART_CONTRACT_INTERFACE', labelled('theirs'));
  resultOf(answer, 'createSmartContractInterfaceResult');
  const { body } = await instance.root.as(instance.root.keys, sub.organizationId).query(QUERY);
  assert.deepEqual(
    body.smartContractInterfaces.map((c: { label: string }) => c.label),
    ['theirs'],
  );
});
