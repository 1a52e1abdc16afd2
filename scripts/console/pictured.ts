/** An organization for pictures: people who pay together, a policy, and requests that wait. */
import { serializeTransaction } from 'viem';
import { type Client, ethereumAccount, resultOf } from '../../tests/support/client.ts';
import type { Instance } from '../../tests/support/instance.ts';

const SUPPLIER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const SPENDER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const TOKEN = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const FEES = { type: 'eip1559', chainId: 1, gas: 60_000n, maxFeePerGas: 30_000_000_000n, maxPriorityFeePerGas: 1n } as const;

const small = (wei: string) => `activity.kind == 'SIGN_TRANSACTION' && eth.tx.to == '${SUPPLIER}' && eth.tx.value <= ${wei}`;

const unsigned = (transaction: object): string => serializeTransaction({ ...FEES, ...transaction } as never).slice(2);

/** Ann asks, and Ben approves. */
export async function treasury({ root, newUser }: Instance): Promise<{ approver: Client }> {
  const [ann, ben] = [await newUser('Ann Keller'), await newUser('Ben Okafor')];
  const both = [ann, ben].map(({ userId }) => `approvers.any(user, user.id == '${userId}')`).join(' && ');
  const kinds = "activity.kind in ['SIGN_TRANSACTION', 'CREATE_POLICY', 'UPDATE_POLICY']";
  const policy = (policyName: string, more: object) => ({ policyName, effect: 'EFFECT_ALLOW', notes: '', ...more });
  const add = async (made: object) => resultOf(await root.submit('CREATE_POLICY_V3', made), 'createPolicyResult').policyId;
  await add(policy('Payments need Ann and Ben', { consensus: both, condition: kinds }));
  await add(policy('People sign in', { condition: "activity.kind == 'STAMP_LOGIN'" }));
  const limit = await add(
    policy('Ann: up to 0.1 ETH', {
      consensus: `approvers.any(user, user.id == '${ann.userId}')`,
      condition: small('100000000000000000'),
    }),
  );
  const wallet = { walletName: 'Treasury', accounts: [ethereumAccount()] };
  const [signWith] = resultOf(await root.submit('CREATE_WALLET', wallet), 'createWalletResult').addresses;

  const ask = async (type: string, parameters: object) => {
    const { body, text } = await ann.client.submit(type, parameters);
    if (body?.activity?.status !== 'ACTIVITY_STATUS_CONSENSUS_NEEDED') throw new Error(`it does not wait: ${text.slice(0, 500)}`);
  };
  const sign = (transaction: object) =>
    ask('SIGN_TRANSACTION_V2', { signWith, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction: unsigned(transaction) });
  await ask('UPDATE_POLICY_V2', {
    policyId: limit,
    policyCondition: small('5000000000000000000'),
  });
  const allowance = `0x095ea7b3${SPENDER.slice(2).padStart(64, '0')}${'f'.repeat(64)}`;
  await sign({ nonce: 8, to: TOKEN, data: allowance });
  await sign({ nonce: 7, to: SUPPLIER, value: 1_500_000_000_000_000_000n });
  return { approver: ben.client };
}
