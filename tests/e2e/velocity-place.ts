import assert from 'node:assert/strict';
import { type Client, ethereumAccount, newKeys, resultOf, userWith } from '../support/client.ts';
import { type Instance, sharedInstance } from '../support/instance.ts';
import { refused } from '../support/refusals.ts';

/** Places of the tests of limits over time. */

export const instance: Instance = await sharedInstance();
export const SIGN = 'SIGN_TRANSACTION_V2';
export const ALWAYS = { countersign: { enforcement: 'ALWAYS' } };

/** An organization of its own for each test, with a wallet of two accounts. */
export type Place = { client: Client; walletId: string; addresses: readonly [string, string] };

let places = 0;

export async function newPlace(): Promise<Place> {
  const { clients } = await instance.newSubOrganization(`Place ${++places}`, 1, 1);
  const accounts = [ethereumAccount(0), ethereumAccount(1)];
  const made = resultOf(await clients[0]!.submit('CREATE_WALLET', { walletName: 'W', accounts }), 'createWalletResult');
  return { client: clients[0]!, walletId: made.walletId, addresses: made.addresses };
}

export async function control({ client }: Pick<Place, 'client'>, parameters: object): Promise<string> {
  return resultOf(await client.submit('CREATE_VELOCITY_CONTROL', parameters), 'createVelocityControlResult').velocityControlId;
}

export const signs = async ({ client }: Pick<Place, 'client'>, parameters: object, type = SIGN): Promise<void> => {
  const answer = await client.submit(type, parameters);
  assert.equal(answer.status, 200, answer.text);
};

/** A digest, which no limit can read. */
export const digestBy = (signWith: string) => ({
  signWith,
  payload: '00',
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_KECCAK256',
});

export const EXCEEDED = /^velocity control \w+: \S+ asked, \S+ left of /;
export const exceeds = async ({ client }: Pick<Place, 'client'>, parameters: object, text = EXCEEDED, type = SIGN) =>
  refused(await client.submit(type, parameters), [403, 'UNSPECIFIED', text]);

export async function userIn(client: Client, name: string): Promise<Client> {
  const keys = newKeys();
  resultOf(await client.submit('CREATE_USERS_V4', { users: [{ ...userWith(name, [keys]), userTags: [] }] }), 'createUsersResult');
  return client.as(keys, client.organizationId);
}
