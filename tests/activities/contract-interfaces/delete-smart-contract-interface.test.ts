import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samples } from '../../support/all-samples.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { agreed, count, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'DELETE_SMART_CONTRACT_INTERFACE';
const KEY = 'deleteSmartContractInterfaceResult';
let made = 0;
const parameters = () => ({ ...(samples('CREATE_SMART_CONTRACT_INTERFACE') as object), label: `interface ${++made}` });
const newInterface = async (): Promise<string> => {
  const answer = await instance.root.submit('CREATE_SMART_CONTRACT_INTERFACE', parameters());
  return resultOf(answer, 'createSmartContractInterfaceResult').smartContractInterfaceId;
};
const left = (client: Client) => count(client, 'list_smart_contract_interfaces', 'smartContractInterfaces');

test('it is gone, and its label is free', async () => {
  const [smartContractInterfaceId, kept] = [await newInterface(), await newInterface()];
  const answer = await instance.root.submit(TYPE, { smartContractInterfaceId });
  assert.deepEqual(resultOf(answer, KEY), { smartContractInterfaceId });
  assert.equal((await instance.root.query('get_smart_contract_interface', { smartContractInterfaceId })).status, 404);
  assert.equal(await left(instance.root), 1);
  made -= 2;
  await newInterface();
  resultOf(await instance.root.submit(TYPE, { smartContractInterfaceId: kept }), KEY);
});

test('one that is not there, one that is gone, and another organization’s', async () => {
  const gone = await newInterface();
  resultOf(await instance.root.submit(TYPE, { smartContractInterfaceId: gone }), KEY);
  const answer = await agreed(pair, 'CREATE_SMART_CONTRACT_INTERFACE', parameters());
  const theirs = resultOf(answer, 'createSmartContractInterfaceResult').smartContractInterfaceId;
  for (const smartContractInterfaceId of [NOBODY, gone, theirs]) {
    const again = await instance.root.submit(TYPE, { smartContractInterfaceId });
    refused(again, [404, 'UNSPECIFIED', /smart contract interface not found/]);
  }
  assert.equal(await left(pair.parent), 1);
});
