/** Requests that wait for an approver. */
import type { Page } from 'playwright-core';
import { serializeTransaction } from 'viem';
import type { Client } from '../../support/client.ts';
import { ethereumAccount, resultOf } from '../../support/client.ts';
import type { ConsoleWorld } from './world.ts';

export type People = { asker: Client; approver: Client; second: Client };

/** An asker, and two approvers of whom one must agree. */
export async function people({ instance: { root, newUser } }: ConsoleWorld): Promise<People> {
  const [asker, approver, second] = [await newUser('Asker'), await newUser('Approver'), await newUser('Second approver')];
  const one = (id: string) => `approvers.any(user, user.id == '${id}')`;
  const policies = [
    {
      policyName: 'By two',
      consensus: `${one(asker.userId)} && (${one(approver.userId)} || ${one(second.userId)})`,
      condition:
        "activity.kind in ['CREATE_USER_TAG', 'SIGN_TRANSACTION', 'SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS', 'CREATE_POLICY']",
    },
    { policyName: 'Links', condition: "activity.kind == 'STAMP_LOGIN'" },
  ];
  for (const policy of policies)
    resultOf(await root.submit('CREATE_POLICY_V3', { effect: 'EFFECT_ALLOW', notes: '', ...policy }), 'createPolicyResult');
  return { asker: asker.client, approver: approver.client, second: second.client };
}

/** Submits what must wait, and returns the activity. */
export async function waiting(client: Client, type: string, parameters: object): Promise<{ id: string; fingerprint: string }> {
  const { body, text } = await client.submit(type, parameters);
  if (body?.activity?.status !== 'ACTIVITY_STATUS_CONSENSUS_NEEDED') throw new Error(`it does not wait: ${text}`);
  return body.activity;
}

/** Opens a request on the page of a signed-in person. */
export async function opens({ origin }: ConsoleWorld, page: Page, id: string): Promise<void> {
  await page.goto(`${origin}/console/approvals?open=${id}`);
  await page.getByText('Read here from the signed bytes').waitFor();
}

export const statusOf = async ({ instance }: ConsoleWorld, activityId: string): Promise<string> =>
  (await instance.root.query('get_activity', { activityId })).body.activity.status;

export const tag = (name: string): [string, object] => ['CREATE_USER_TAG', { userTagName: name, userIds: [] }];

export const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
export const TOKEN = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

type Signer = { signWith: string; signs(transaction: object): [string, object] };

/** A new wallet, and requests to sign by it. */
export async function signer({ instance: { root } }: ConsoleWorld): Promise<Signer> {
  const wallet = { walletName: 'Treasury', accounts: [ethereumAccount()] };
  const [signWith] = resultOf(await root.submit('CREATE_WALLET', wallet), 'createWalletResult').addresses;
  const fees = {
    type: 'eip1559',
    chainId: 1,
    nonce: 7,
    gas: 60_000n,
    maxFeePerGas: 30_000_000_000n,
    maxPriorityFeePerGas: 1n,
  } as const;
  const signs = (transaction: object): [string, object] => [
    'SIGN_TRANSACTION_V2',
    {
      signWith,
      type: 'TRANSACTION_TYPE_ETHEREUM',
      unsignedTransaction: serializeTransaction({ ...fees, ...transaction } as never).slice(2),
    },
  ];
  return { signWith, signs };
}

/** A transfer, an unlimited approval of a token, and a digest that no reader can decode. */
export async function signing(world: ConsoleWorld): Promise<[string, object][]> {
  const { signWith, signs } = await signer(world);
  const unlimited = `0x095ea7b3${TO.slice(2).padStart(64, '0')}${'f'.repeat(64)}`;
  return [
    signs({ to: TO, value: 1_500_000_000_000_000_000n }),
    signs({ to: TOKEN, data: unlimited }),
    [
      'SIGN_RAW_PAYLOAD_V2',
      { signWith, payload: 'ab'.repeat(32), encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_NO_OP' },
    ],
  ];
}
