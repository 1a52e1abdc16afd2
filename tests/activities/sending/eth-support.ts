import { type Address, encodeFunctionData, type Hex } from 'viem';
import type { EvmIntent, Send } from '../../../src/model/send.ts';
import { abiOf, startWorld, type World } from '../../contracts/support.ts';
import { approvedBy } from '../../e2e/authority.ts';
import { type Answer, type Client, ethereumAccount, resultOf } from '../../support/client.ts';
import type { Instance } from '../../support/instance.ts';
import { type Liar, startLiar } from '../../support/rpc-liar.ts';
import { waitFor } from '../../support/wait.ts';

/** A chain with the contracts of the station, and an endpoint in front of it that tells what it is asked. */
export type SendingWorld = World & { liar: Liar; env: Record<string, string> };

export const CHAIN = 'eip155:31337';
export const FRIEND: Hex = '0x00000000000000000000000000000000000000aa';

export async function sendingWorld(...more: string[]): Promise<SendingWorld> {
  const world = await startWorld(...more);
  const liar = await startLiar(world.anvil.url);
  const stop = async () => {
    await liar.stop();
    await world.stop();
  };
  return { ...world, liar, env: { RPC_URL_EIP155_31337: liar.url }, stop };
}

let made = 0;

/** A new account of the client's organization, with an ether. */
export async function newAccount(world: World, client: Client, value = 10n ** 18n): Promise<Address> {
  const parameters = { walletName: `Wallet ${++made}`, accounts: [ethereumAccount()] };
  const [address] = resultOf(await client.submit('CREATE_WALLET', parameters), 'createWalletResult').addresses;
  await world.admin.setBalance({ address, value });
  return address;
}

export const idOf = (answer: Answer, key = 'ethSendTransactionResultV2'): string => resultOf(answer, key).sendTransactionStatusId;

/** Its stored row. */
export async function sendOf(instance: Instance, client: Client, id: string): Promise<Send & { intent: EvmIntent }> {
  return (await instance.engine.store.read.sends.get(client.organizationId, id)) as Send & { intent: EvmIntent };
}

/** A user who may do what these conditions allow. */
export async function userWith(instance: Instance, ...conditions: string[]): Promise<Client> {
  const { client, userId } = await instance.newUser('Policy user');
  for (const [i, condition] of conditions.entries()) {
    const policy = { policyName: `Policy ${i} of ${userId}`, effect: 'EFFECT_ALLOW', condition, consensus: approvedBy(userId) };
    resultOf(await instance.root.submit('CREATE_POLICY_V3', { ...policy, notes: '' }), 'createPolicyResult');
  }
  return client;
}

export const dataOf = (name: string, functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: abiOf(name), functionName, args });

/** What sponsoring needs of the operator, for `env`. */
export const SPONSORING = { GAS_PRICES_USD: `${CHAIN}=3000` };

/** What it needs of the top-level organization, and of the paymaster. */
export async function sponsoring(world: World, { engine, root }: Instance): Promise<Hex> {
  const paymaster = engine.vault.paymaster.address('eip155') as Hex;
  await world.admin.setBalance({ address: paymaster, value: 10n ** 20n });
  const config = { orgWindowLimitUsd: '1000', subOrgWindowLimitUsd: '100', windowDurationMinutes: '60', enabled: true };
  resultOf(await root.submit('UPSERT_GAS_USAGE_CONFIG', config), 'upsertGasUsageConfigResult');
  return paymaster;
}

/** What became of a send, once it is in a block or failed. */
export async function landed(client: Client, sendTransactionStatusId: string) {
  return waitFor('it landed or failed', async () => {
    const { body } = await client.query('get_send_transaction_status', { sendTransactionStatusId });
    return ['INCLUDED', 'FAILED'].includes(body.txStatus) && body;
  });
}
