/** The flows of the hot path through the real service on PostgreSQL, and the statements that each of them runs. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import pg from 'pg';
import { serializeTransaction } from 'viem';
import { newPair } from '../../activities/support.ts';
import { approvedBy, newPolicy, newWallet, signing } from '../../e2e/authority.ts';
import { type Client, submitPath } from '../../support/client.ts';
import type { Instance } from '../../support/instance.ts';

export type Ran = { flow: string; sql: string; values: readonly unknown[] };

type Query = { text?: string; values?: unknown[] } | string;

const STARTS = 'http.server.request.start';

/** Notes every statement that the service of this process runs for a request while `work` runs. Statements of workers are not noted. */
export async function recorded(work: (as: (flow: string) => void) => Promise<void>): Promise<Ran[]> {
  const requests = new AsyncLocalStorage<{ flow: string }>();
  const ran: Ran[] = [];
  let flow = '';
  const begins = (message: unknown) => {
    const { request } = message as { request: IncomingMessage };
    const of = { flow };
    // The service goes on from the end of the body, whose event has no context.
    if (request.method === 'POST') request.on('end', () => requests.enterWith(of));
  };
  const original = pg.Client.prototype.query;
  pg.Client.prototype.query = function (this: pg.Client, query: Query, ...rest: unknown[]) {
    const store = requests.getStore();
    const { text, values = [] } = typeof query === 'string' ? { text: query } : query;
    if (store !== undefined && text !== undefined) ran.push({ flow: store.flow, sql: text, values });
    return Reflect.apply(original, this, [query, ...rest]);
  } as typeof original;
  subscribe(STARTS, begins);
  try {
    await work((name) => {
      flow = name;
    });
  } finally {
    unsubscribe(STARTS, begins);
    pg.Client.prototype.query = original;
  }
  return ran;
}

const must = async (answer: Promise<{ status: number; text: string }>) => {
  const { status, text } = await answer;
  if (status !== 200) throw new Error(text);
};

const QUERIES: readonly [name: string, parameters?: object][] = [
  ['whoami'],
  ['get_organization'],
  ['list_wallets'],
  ['list_users'],
  ['list_policies'],
  ['list_activities', { paginationOptions: { limit: '10' } }],
];

/** Each flow runs twice: by rows of the database, and by what is then in memory. */
export async function runFlows(instance: Instance, as: (flow: string) => void): Promise<void> {
  const to = `0x${'11'.repeat(20)}` as const;
  const unsigned = serializeTransaction({ type: 'eip1559', chainId: 1, to, gas: 21_000n, maxFeePerGas: 1n }).slice(2);
  const pair = await newPair(instance, 'Flows');
  const { organizationId, clients } = await instance.newSubOrganization('Person', 1, 1);
  const [own] = clients as [Client];
  const { walletId, addresses } = await newWallet(own);
  const address = addresses[0]!;
  const worker = await instance.newUser('Worker');
  const rootWallet = await newWallet(instance.root);
  await newPolicy(instance.root, { condition: `activity.action == 'SIGN'`, consensus: approvedBy(worker.userId) });
  const parent = instance.root.as(instance.root.keys, organizationId);
  for (let round = 0; round < 2; round++) {
    as('sign_raw_payload by a root user');
    await must(own.submit('SIGN_RAW_PAYLOAD_V2', signing(address)));
    as('sign_raw_payload by a policy');
    await must(worker.client.submit('SIGN_RAW_PAYLOAD_V2', signing(rootWallet.addresses[0]!)));
    as('sign_transaction');
    const transaction = { signWith: address, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction: unsigned };
    await must(own.submit('SIGN_TRANSACTION_V2', transaction));
    as('create_user_tag');
    const body = own.bodyOf('CREATE_USER_TAG', { userTagName: `tag ${round}`, userIds: [] });
    await must(own.send(submitPath('CREATE_USER_TAG'), body));
    as('the same body again');
    await must(own.send(submitPath('CREATE_USER_TAG'), body));
    as('an activity that waits for votes');
    const waiting = await pair.clients[0].submit('CREATE_USER_TAG', { userTagName: `shared ${round}`, userIds: [] });
    as('approve_activity');
    const { fingerprint, id: activityId } = waiting.body.activity;
    await must(pair.clients[1].submit('APPROVE_ACTIVITY', { fingerprint }));
    as('create_sub_organization');
    await instance.newSubOrganization(`Other ${round}`, 1, 1);
    for (const [name, parameters] of QUERIES) {
      as(name);
      await must(own.query(name, parameters));
      as(`${name}, by the parent`);
      await must(parent.query(name, parameters));
    }
    as('get_wallet');
    await must(own.query('get_wallet', { walletId }));
    as('list_wallet_accounts');
    await must(own.query('list_wallet_accounts', { walletId }));
    as('get_activity');
    await must(pair.clients[0].query('get_activity', { activityId }));
  }
}
