/** An agent pays by x402: the published client signs by this service, and a facilitator brings payments to a chain. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { TurnkeyClient, TurnkeyRequestError } from '@turnkey/http';
import { createAccount } from '@turnkey/viem';
import { x402Client } from '@x402/core/client';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { type ClientEvmSigner, toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator';
import { encodeFunctionData, getTypesForEIP712Domain, type Hex, type LocalAccount, publicActions } from 'viem';
import { aggregation, velocityControl } from '../activities/velocity-controls/support.ts';
import { abiOf, startWorld } from '../contracts/support.ts';
import { ethereumAccount, type Keys, newKeys, resultOf, userWith } from '../support/client.ts';
import { type Arena, races } from './races.ts';

const PAYMENTS = 1_000;
const BUDGET = PAYMENTS / 2;
/** Of these, on the chain. Each takes some requests to the node. */
const SETTLED = 20;
const NETWORK = 'eip155:31337';
const SHOP = '0x00000000000000000000000000000000000000aa';

const race = races({});
let world: Awaited<ReturnType<typeof startWorld>>;
let token: Hex;
before(async () => {
  world = await startWorld();
  token = await world.deploy('PaymentToken');
});
after(() => world?.stop());

const calling = (functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: abiOf('PaymentToken'), functionName, args });

/** The same body again leads to the same activity, so a lost connection loses nothing. */
class PatientClient extends TurnkeyClient {
  override async request<TBody, TAnswer>(path: string, body: TBody): Promise<TAnswer> {
    for (let left = 100; ; left--)
      try {
        return await super.request<TBody, TAnswer>(path, body);
      } catch (error) {
        const isRefused = error instanceof TurnkeyRequestError && error.code !== UNAVAILABLE;
        if (isRefused || left === 0) throw error;
      }
  }
}
const UNAVAILABLE = 14;

type Agent = { root: Arena; controlId: string; wallet: Hex; accounts: LocalAccount[] };

async function accountsOf({ clients }: Arena, { publicKey, privateKey }: Keys, address: Hex): Promise<LocalAccount[]> {
  const stamper = new ApiKeyStamper({ apiPublicKey: publicKey, apiPrivateKey: privateKey });
  return Promise.all(
    clients.map(({ url, organizationId }) =>
      createAccount({
        client: new PatientClient({ baseUrl: url }, stamper) as never,
        organizationId,
        signWith: address,
        ethereumAddress: address,
      }),
    ),
  );
}

/** A wallet with a budget that binds all its signers, and a user whom one policy lets sign. */
async function newAgent(budget: number, condition: (walletId: string) => string): Promise<Agent> {
  const root = await race.arena();
  const [client] = root.clients;
  const made = async (type: string, parameters: object, key: string) => resultOf(await client!.submit(type, parameters), key);
  const { walletId, addresses } = await made(
    'CREATE_WALLET',
    { walletName: 'Agent', accounts: [ethereumAccount()] },
    'createWalletResult',
  );
  const keys = newKeys();
  const users = [{ ...userWith('Agent', [keys]), userTags: [] }];
  const { userIds } = await made('CREATE_USERS_V4', { users }, 'createUsersResult');
  const { velocityControlId: controlId } = await made(
    'CREATE_VELOCITY_CONTROL',
    velocityControl({
      identifier: 'agent',
      dataSource: { chainAssetTransfer: { definition: [{ caip19: `${NETWORK}/erc20:${token}`, decimals: '6' }] } },
      aggregation: aggregation({ threshold: String(budget), groupBy: { wallet: {} } }),
      countersign: { enforcement: 'ALWAYS', scope: { walletIds: [walletId] } },
    }),
    'createVelocityControlResult',
  );
  const policy = {
    ...{ policyName: 'The agent pays', effect: 'EFFECT_ALLOW', notes: '' },
    condition: condition(walletId),
    consensus: `approvers.any(user, user.id == '${userIds[0]}')`,
  };
  await made('CREATE_POLICY_V3', policy, 'createPolicyResult');
  await world.must({ to: token, data: calling('mint', [addresses[0], 10n ** 12n]) });
  return { root, controlId, wallet: addresses[0], accounts: await accountsOf(root, keys, addresses[0]) };
}

/** One whole token. */
const asked = (method: 'eip3009' | 'permit2' = 'eip3009'): PaymentRequirements => ({
  ...{ scheme: 'exact', network: NETWORK, asset: token, amount: '1000000', payTo: SHOP, maxTimeoutSeconds: 3600 },
  extra: { name: 'USD Coin', version: '2', assetTransferMethod: method },
});

/** With the line that docs/clients.md names: @turnkey/viem signs the domain that the types declare. */
function payerOf(account: LocalAccount) {
  const signer: ClientEvmSigner = {
    address: account.address,
    signTypedData: (data) =>
      account.signTypedData({ ...data, types: { EIP712Domain: getTypesForEIP712Domain(data), ...data.types } } as never),
  };
  const client = x402Client.fromConfig({
    schemes: [{ network: NETWORK, client: new ExactEvmScheme(signer) }],
    // Its own bound knows the tokens of real chains.
    spendControls: false,
  });
  return (requirements: PaymentRequirements): Promise<PaymentPayload> =>
    client.createPaymentPayload({ x402Version: 2, resource: { url: 'https://shop.example.com/' }, accepts: [requirements] });
}

function facilitator(): x402Facilitator {
  const signer = world.wallet.extend(publicActions);
  return registerExactEvmScheme(new x402Facilitator(), {
    signer: toFacilitatorEvmSigner({ ...signer, address: world.paymaster.address } as never),
    networks: NETWORK,
  });
}

const heldBy = (account: Hex): Promise<bigint> => world.view('PaymentToken', token, 'balanceOf', [account]);

async function countedBy({ root, controlId }: Agent): Promise<string> {
  const { body } = await root.clients[0]!.query('list_velocity_buckets', { velocityControlId: controlId });
  assert.equal(body.velocityBuckets.length, 1);
  return body.velocityBuckets[0].counted;
}

/** What was signed. Every other attempt was refused by the budget. */
async function signedOf<T>(attempts: readonly Promise<T>[]): Promise<T[]> {
  const all = await Promise.allSettled(attempts);
  for (const one of all) if (one.status === 'rejected') assert.match(String(one.reason), /VELOCITY_CONTROL_EXCEEDED/);
  return all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

const nth = <T>(list: readonly T[], i: number): T => list[i % list.length]!;

test(`${PAYMENTS} payments at once against a budget of ${BUDGET} sign exactly ${BUDGET}, which a facilitator takes`, async () => {
  const agent = await newAgent(
    BUDGET,
    (walletId) =>
      `activity.kind == 'SIGN_RAW_PAYLOAD' && wallet.id == '${walletId}' && eth.eip_712.primary_type == 'TransferWithAuthorization' && eth.eip_712.domain.chain_id == 31337 && eth.eip_712.domain.verifying_contract == '${token}'`,
  );
  const payers = agent.accounts.map(payerOf);
  const paid = await signedOf(Array.from({ length: PAYMENTS }, (_, i) => nth(payers, i)(asked())));
  assert.equal(paid.length, BUDGET);
  assert.equal(await countedBy(agent), String(BUDGET));
  const local = facilitator();
  const before = await heldBy(SHOP);
  for (const payment of paid.slice(0, SETTLED)) {
    const { isValid, invalidReason } = await local.verify(payment, payment.accepted);
    assert.ok(isValid, invalidReason);
    const { success, errorMessage } = await local.settle(payment, payment.accepted);
    assert.ok(success, errorMessage);
  }
  assert.equal((await heldBy(SHOP)) - before, BigInt(SETTLED) * 10n ** 6n);
  assert.equal((await local.verify(paid[0]!, paid[0]!.accepted)).isValid, false, 'a payment is taken once');
});

test('one budget holds over payments by EIP-3009 and by Permit2, and plain transfers', async () => {
  const each = PAYMENTS / 10;
  const budget = (3 * each) / 2;
  const agent = await newAgent(budget, (walletId) => `activity.action == 'SIGN' && wallet.id == '${walletId}'`);
  const payers = agent.accounts.map(payerOf);
  const transfer = (i: number) =>
    nth(agent.accounts, i).signTransaction({
      ...{ type: 'eip1559', chainId: 31337, nonce: i, to: token, gas: 60_000n, maxFeePerGas: 2n * 10n ** 9n },
      ...{ maxPriorityFeePerGas: 1n, data: calling('transfer', [SHOP, 1_000_000n]) },
    });
  const ways: ((i: number) => Promise<unknown>)[] = [
    (i) => nth(payers, i)(asked()),
    (i) => nth(payers, i)(asked('permit2')),
    transfer,
  ];
  let signed = 0;
  for (const [i, way] of ways.entries()) {
    signed += (await signedOf([way(0)])).length;
    assert.equal(await countedBy(agent), String(i + 1), 'each way counts');
  }
  const rest = Array.from({ length: each * ways.length }, (_, i) => nth(ways, i)(i + 1));
  signed += (await signedOf(rest)).length;
  assert.equal(signed, budget);
  assert.equal(await countedBy(agent), String(budget));
  for (const way of ways) assert.deepEqual(await signedOf([way(10_000)]), []);
});
