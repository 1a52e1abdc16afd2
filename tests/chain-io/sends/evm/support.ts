import { acceptSend } from '../../../../src/domain/sends/sends.ts';
import { type AccountKey, type EvmIntent, NEVER, type Send, type SendState, statusOfSend } from '../../../../src/model/send.ts';
import { type Anvil, startAnvil } from '../../../support/anvil.ts';
import { resultOf } from '../../../support/client.ts';
import { type Instance, startInstance } from '../../../support/instance.ts';
import { rpc } from '../../../support/rpc-liar.ts';
import { waitFor } from '../../../support/wait.ts';

export const CHAIN = 'eip155:31337';
export const ETHER = 10n ** 18n;
export const hex = (value: bigint | number): string => `0x${value.toString(16)}`;

export type World = Awaited<ReturnType<typeof startSends>>;

type Options = { anvil?: string[]; urls?: (anvil: Anvil) => Promise<string> | string; env?: Record<string, string> };

/** The service with a chain of its own. */
export async function startSends({ anvil: more = [], urls = (anvil) => anvil.url, env = {} }: Options = {}) {
  const anvil = await startAnvil(...more);
  const instance: Instance = await startInstance({ RPC_URL_EIP155_31337: await urls(anvil), ...env });
  const { engine, root, credentials } = instance;
  const { store, ids, clock } = engine;
  const { organizationId } = credentials;
  const ask = <T = string>(method: string, ...params: unknown[]) => rpc<T>(anvil.url, method, params);

  /** A new account with this balance on the chain. */
  async function newAccount(wei: bigint = 10n * ETHER): Promise<string> {
    const name = `wallet ${ids.next()}`;
    const account = {
      curve: 'CURVE_SECP256K1',
      pathFormat: 'PATH_FORMAT_BIP32',
      path: "m/44'/60'/0'/0/0",
      addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
    };
    const activity = await root.submit('CREATE_WALLET', { walletName: name, accounts: [account] });
    const { addresses } = resultOf(activity, 'createWalletResult') as { addresses: string[] };
    const address = addresses[0]!.toLowerCase();
    if (wei > 0n) await ask('anvil_setBalance', address, hex(wei));
    return address;
  }

  /** As an activity of `from` would. */
  async function accept(from: string, more: Partial<EvmIntent> = {}): Promise<Send> {
    const id = ids.next();
    const intent: EvmIntent = {
      form: 'call',
      signWith: from,
      calls: [{ to: `0x${'be'.repeat(20)}`, value: '1', data: '0x' }],
      gas: '21000',
      fees: { maxFeePerGas: String(20n * 10n ** 9n), maxPriorityFeePerGas: String(10n ** 9n) },
      feesGiven: false,
      nonce: null,
      gasStationNonce: null,
      deadline: null,
      ...more,
    };
    const send = {
      organizationId,
      id,
      activityId: id,
      payerId: organizationId,
      caip2: CHAIN,
      kind: 'evm' as const,
      account: from,
      fromAddress: from,
      sponsored: false,
      intent,
    };
    return store.transaction((tx) => acceptSend(tx, send, clock.now()));
  }

  const read = async ({ id }: Pick<Send, 'id'>): Promise<Send> => (await store.read.sends.get(organizationId, id))!;

  /** Resolves once the send is as it should be. */
  async function until(send: Pick<Send, 'id'>, is: (send: Send) => boolean, what = 'as it should be'): Promise<Send> {
    let found!: Send;
    await waitFor(
      () => `a send is ${what}: ${JSON.stringify(found)}`,
      async () => {
        found = await read(send);
        return is(found);
      },
    );
    return found;
  }

  const untilState = (send: Pick<Send, 'id'>, ...states: SendState[]): Promise<Send> =>
    until(send, ({ state }) => states.includes(state), states.join(' or '));

  const nonceOf = async (account: string): Promise<number> => Number(await ask('eth_getTransactionCount', account, 'latest'));
  const attemptsOf = ({ id }: Pick<Send, 'id'>) => store.read.sendAttempts.ofSend(organizationId, id);
  const accountOf = (account: string): AccountKey => ({ caip2: CHAIN, account });

  /** Resolves once nothing is left to do for the account. */
  async function untilRested(account: string): Promise<void> {
    await waitFor('the account is at rest', async () => {
      const row = await store.read.sendAccounts.get(accountOf(account));
      return row?.owner === '' && row.dueAt === NEVER;
    });
  }

  return {
    untilRested,
    anvil,
    instance,
    store,
    organizationId,
    ask,
    newAccount,
    accept,
    read,
    until,
    untilState,
    nonceOf,
    attemptsOf,
    accountOf,
    statusOf: statusOfSend,
    async stop() {
      await instance.close();
      await anvil.stop();
    },
  };
}
