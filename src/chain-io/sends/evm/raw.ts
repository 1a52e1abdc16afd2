import { fromHex } from '../../../base/bytes.ts';
import { ApiError, invalid } from '../../../base/errors.ts';
import { readSignedTransaction, type SignedTransaction } from '../../../chains/ethereum/signed-transaction.ts';
import { TOTALS, totalsOf, viewOf } from '../../../chains/ethereum/transaction.ts';
import { lookUpSigner } from '../../../domain/keys/signers.ts';
import { type ViewContext, viewOfSigner } from '../../../domain/policies/policy-view.ts';
import type { Roots } from '../../../engine/activity/declare.ts';
import type { ResolveContext } from '../../../engine/context.ts';
import { parseCaip2 } from '../../../model/caip2.ts';
import type { EvmIntent, StoredFees } from '../../../model/send.ts';
import type { SealedSigner } from '../../../store/types.ts';
import { servedNode } from './plan.ts';
import { interfacesFor } from './view.ts';

type Hex = `0x${string}`;

export type RawRequest = { readonly signedTransaction: Hex; readonly caip2: string };

/** `signer`: the organization's own key that signed it, if any. */
export type RawPlan = {
  readonly bytes: Hex;
  readonly caip2: string;
  readonly transaction: SignedTransaction | undefined;
  readonly signer: SealedSigner | undefined;
  readonly problem: ApiError | undefined;
};

/** Transaction errors name the field for unsigned ones: here it is the signed one. */
const renamed = (error: ApiError) => error.renamed((text) => text.replaceAll('unsignedTransaction', 'signedTransaction'));

function readRaw({ signedTransaction, caip2 }: RawRequest): SignedTransaction {
  const transaction = readSignedTransaction(fromHex(signedTransaction.slice(2)) ?? new Uint8Array());
  const { chainId, nonce } = transaction.fields;
  const network = parseCaip2(caip2);
  if (network?.kind !== 'eip155' || network.chainId !== chainId)
    throw invalid('parameters.signedTransaction', `is for chain ${chainId}, but caip2 is ${caip2}`);
  if (nonce > BigInt(Number.MAX_SAFE_INTEGER))
    throw invalid('parameters.signedTransaction', 'its nonce is too high: 2^53 or more');
  return transaction;
}

/** Reads the transaction. Refuses nothing. */
export async function rawPlanOf({ read, organization, asking }: ResolveContext, request: RawRequest): Promise<RawPlan> {
  const plan = { bytes: request.signedTransaction, caip2: request.caip2, transaction: undefined, signer: undefined };
  const node = asking && servedNode(asking.nodes, request.caip2);
  if (node instanceof ApiError) return { ...plan, problem: node };
  try {
    const transaction = readRaw(request);
    // Any client can copy a signed transaction of the paymaster from the chain.
    if (asking?.sponsorship.isPaymaster(transaction.from))
      throw invalid(
        'parameters.signedTransaction',
        'is signed by the paymaster: only the service sends transactions of the paymaster',
      );
    const signer = await lookUpSigner(read, organization.id, transaction.from);
    return { ...plan, transaction, signer, problem: undefined };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...plan, problem: renamed(error) };
  }
}

/** The policies' view: the transaction, and the key that signed it if it is the organization's. */
export async function rawViews(ctx: ViewContext, { transaction, signer, problem }: RawPlan): Promise<Roots[]> {
  if (transaction === undefined) {
    const unreadable = () => {
      throw problem;
    };
    return [{ 'eth.tx': unreadable, [TOTALS]: unreadable }];
  }
  const roots = signer === undefined ? {} : await viewOfSigner(ctx, signer);
  const { fields, from } = transaction;
  const interfaces = await interfacesFor(ctx, [{ to: fields.to, value: '0', data: '0x' }]);
  const view = () => viewOf(transaction, from, interfaces.get(fields.to));
  return [{ ...roots, 'eth.tx': view, [TOTALS]: totalsOf([fields.value]) }];
}

function feesOf({ fields }: SignedTransaction): StoredFees {
  const { gasPrice, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = fields;
  if (gasPrice !== undefined) return { gasPrice: String(gasPrice) };
  return { maxFeePerGas: String(maxFeePerGas), maxPriorityFeePerGas: String(maxPriorityFeePerGas) };
}

/** The intent that is stored for it. */
export function rawIntent(transaction: SignedTransaction, signed: Hex): EvmIntent {
  const { to, value, data, gas, nonce } = transaction.fields;
  return {
    form: 'raw',
    signWith: '',
    calls: [{ to, value: String(value), data }],
    gas: String(gas),
    fees: feesOf(transaction),
    feesGiven: true,
    nonce: String(nonce),
    gasStationNonce: null,
    deadline: null,
    signed,
  };
}
