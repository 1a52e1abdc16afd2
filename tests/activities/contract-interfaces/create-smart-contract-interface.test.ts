import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { count } from '../support.ts';

const instance = await sharedInstance();

const TYPE = 'CREATE_SMART_CONTRACT_INTERFACE';
const KEY = 'createSmartContractInterfaceResult';
const ETHEREUM = 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM';
const SOLANA = 'SMART_CONTRACT_INTERFACE_TYPE_SOLANA';
const ABI = JSON.stringify([{ type: 'function', name: 'transfer', inputs: [{ name: 'to', type: 'address' }], outputs: [] }]);
const IDL = JSON.stringify({ version: '0.1.0', name: 'p', instructions: [], types: [] });
let made = 0;

const ethereum = (more: object = {}) => ({
  smartContractAddress: `0x${'Ab'.repeat(20)}`,
  smartContractInterface: ABI,
  type: ETHEREUM,
  label: `interface ${++made}`,
  ...more,
});
const solana = (more: object = {}) => ({
  smartContractAddress: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  smartContractInterface: IDL,
  type: SOLANA,
  label: `interface ${++made}`,
  ...more,
});

test('of Ethereum: the address in lower case, the text as it was given', async () => {
  const sent = ethereum({ notes: 'why', smartContractInterface: ` ${ABI}\n` });
  const { smartContractInterfaceId } = resultOf(await instance.root.submit(TYPE, sent), KEY);
  const { body } = await instance.root.query('get_smart_contract_interface', { smartContractInterfaceId });
  const { createdAt, updatedAt, organizationId, ...shown } = body.smartContractInterface;
  assert.deepEqual(shown, { ...sent, smartContractInterfaceId, smartContractAddress: `0x${'ab'.repeat(20)}` });
  assert.deepEqual([createdAt, organizationId], [updatedAt, instance.root.organizationId]);
});

test('of Solana, without notes', async () => {
  const sent = solana();
  const { smartContractInterfaceId } = resultOf(await instance.root.submit(TYPE, sent), KEY);
  const { body } = await instance.root.query('get_smart_contract_interface', { smartContractInterfaceId });
  const { smartContractAddress, notes } = body.smartContractInterface;
  assert.deepEqual([smartContractAddress, notes], [sent.smartContractAddress, '']);
});

test('a label is taken once in an organization, an address as often as one likes', async () => {
  const sent = ethereum();
  resultOf(await instance.root.submit(TYPE, sent), KEY);
  const answer = await instance.root.submit(TYPE, sent);
  refused(answer, [400, 'REQUEST_INVALID', /label must be unique/], 'parameters.label');
  resultOf(await instance.root.submit(TYPE, { ...sent, label: 'Another' }), KEY);
  const sub = await instance.newSubOrganization('Same label', 1, 1);
  resultOf(await sub.clients[0]!.submit(TYPE, sent), KEY);
});

test('a value that is no contract interface is refused', async () => {
  const before = await count(instance.root, 'list_smart_contract_interfaces', 'smartContractInterfaces');
  const at = 'parameters.smartContractInterface';
  const deep = '['.repeat(1000) + ']'.repeat(1000);
  await refusesEach(instance.root, TYPE, [
    ...['', 'abi', '{', '[1]', '[{}]', '[[]]', '{}', 'null', IDL, deep].map(
      (text) => [ethereum({ smartContractInterface: text }), at, /must be/] as [unknown, string, RegExp],
    ),
    ...['', '[]', '{}', 'null', ABI, '{"instructions":[]}', '{"types":[]}', '{"instructions":{},"types":[]}'].map(
      (text) => [solana({ smartContractInterface: text }), at, /must be/] as [unknown, string, RegExp],
    ),
    [ethereum({ smartContractAddress: solana().smartContractAddress }), 'parameters.smartContractAddress', /40 hex digits/],
    [ethereum({ smartContractAddress: `0x${'g'.repeat(40)}` }), 'parameters.smartContractAddress', /40 hex digits/],
    [solana({ smartContractAddress: ethereum().smartContractAddress }), 'parameters.smartContractAddress', /base58/],
  ]);
  assert.equal(await count(instance.root, 'list_smart_contract_interfaces', 'smartContractInterfaces'), before);
});

test('as long as it may be', async () => {
  const abi = `[${' '.repeat(399_998)}]`;
  resultOf(await instance.root.submit(TYPE, ethereum({ smartContractInterface: abi })), KEY);
});
