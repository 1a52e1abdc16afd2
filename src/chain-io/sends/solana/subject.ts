import { base58 } from '@scure/base';
import { errorsOf } from '../../../base/declared-errors.ts';
import { ApiError, invalid, Unreachable } from '../../../base/errors.ts';
import { invalidTransaction, type UnsignedTransaction } from '../../../chains/shared/transaction.ts';
import type { Message } from '../../../chains/solana/message.ts';
import { paysRent } from '../../../chains/solana/programs.ts';
import { solanaTransaction } from '../../../chains/solana/transaction.ts';
import { readTransaction } from '../../../chains/solana/wire.ts';
import { lookUpSigner, usableSigner } from '../../../domain/keys/signers.ts';
import { transactionView } from '../../../domain/keys/transactions.ts';
import { viewOfSigner } from '../../../domain/policies/policy-view.ts';
import { prefundsRent, RENT_FEATURE } from '../../../domain/sends/gas-config.ts';
import { TRANSFERS_BY_KIND } from '../../../domain/transfers/kinds.ts';
import { taken } from '../../../domain/transfers/taken.ts';
import type { Roots, Taken } from '../../../engine/activity/declare.ts';
import type { Asking, ResolveContext } from '../../../engine/context.ts';
import type { SolanaSponsor } from '../../../engine/ports.ts';
import { topLevelIdOf } from '../../../model/organization.ts';
import type { SolanaIntent } from '../../../model/solana-intent.ts';
import type { SealedSigner } from '../../../store/types.ts';
import type { SolanaNode } from '../../nodes/solana/node.ts';
import { NoNodeError, RpcError } from '../../nodes/types.ts';
import { withDeadline } from '../deadline.ts';
import { asUnreachable } from '../no-node.ts';
import { type Filled, fill, fillUnasked } from './fill.ts';
import { readRequest, type SolanaRequest, signerField } from './read.ts';

/** The send as it was filled in, once, for policies and for `execute`. */
export type SolanaSubject = {
  signers: readonly (SealedSigner | undefined)[];
  /** Or why it is refused. */
  about: Readying | ApiError;
};

type Readying = { caip2: string; filled: Filled; sponsor: SolanaSponsor | undefined };

/** How long nodes have to answer while a request waits. */
const PATIENCE_MS = 5_000;

function nodeOf({ nodes }: Asking, caip2: string): SolanaNode {
  const node = nodes.chainNode(caip2);
  if (node?.kind === 'solana') return node;
  const cluster = /mainnet|5eykt4/.test(caip2) ? 'MAINNET' : 'DEVNET';
  throw invalid(
    'parameters.caip2',
    `names a network that is not served here: the operator can serve ${caip2} with the setting RPC_URL_SOLANA_${cluster}`,
  );
}

async function asked<T>(node: SolanaNode, ask: () => Promise<T>): Promise<T> {
  const unreachable = (why: string) => new Unreachable(`no RPC endpoint of ${node.caip2} ${why}`);
  try {
    return await withDeadline(PATIENCE_MS, ask(), () => unreachable('answered in time'));
  } catch (error) {
    if (error instanceof NoNodeError) throw asUnreachable(error);
    // The request itself is refused for this.
    if (error instanceof RpcError && error.said.code === -32602)
      throw invalidTransaction(`a node cannot read it: ${error.said.message.slice(0, 200)}`);
    if (error instanceof RpcError) throw unreachable('simulates it now');
    throw error;
  }
}

/** The most that signers get for rent: nothing unless their organization asks for it. Rent that is not paid is never promised. */
async function mostRent(
  { read, organization }: ResolveContext,
  { rentLamports }: SolanaSponsor,
  message: Message,
): Promise<bigint> {
  if (!(await prefundsRent(read, organization))) return 0n;
  if (rentLamports > 0n || !paysRent(message)) return rentLamports;
  throw invalidTransaction(
    `it creates a token account, but this service does not pay rent: the operator can set GAS_RENT_LAMPORTS. With ${RENT_FEATURE} off, a signer pays the rent`,
  );
}

async function readying(request: SolanaRequest, ctx: ResolveContext): Promise<Readying> {
  const { caip2 } = request;
  const { asking } = ctx;
  if (asking === undefined) {
    if (request.sponsor) throw new ApiError('UNAVAILABLE', 'the sponsor of a transaction is known when it is submitted');
    return { caip2, filled: fillUnasked(readRequest(request, undefined)), sponsor: undefined };
  }
  const node = nodeOf(asking, caip2);
  return asking.aside(async () => {
    const network = { kind: 'solana', caip2: node.caip2, cluster: node.cluster } as const;
    const sponsor = request.sponsor ? await asking.sponsorship.sponsorOf(network, topLevelIdOf(ctx.organization)) : undefined;
    const read = readRequest(request, sponsor && base58.decode(sponsor.paymaster));
    const rent = sponsor ? await mostRent(ctx, sponsor, read.message) : 0n;
    return { caip2: node.caip2, filled: await asked(node, () => fill(node, read, rent)), sponsor };
  });
}

/** Fills in the values that the request leaves open. Throws `Unreachable` if no node answered in time; a refusal is part of the subject. */
export async function resolveSolana(ctx: ResolveContext, request: SolanaRequest): Promise<SolanaSubject> {
  const { read, organization } = ctx;
  const signers = await Promise.all(request.signWiths.map((address) => lookUpSigner(read, organization.id, address)));
  try {
    // No node is asked about a transaction without signers.
    signers.forEach((signer, i) => {
      usableSigner(signer, request.signWiths[i]!, signerField(request, i));
    });
    return { signers, about: await readying(request, ctx) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { signers, about: error };
  }
}

/** The transaction as it will be signed. */
function unsignedOf({ filled }: Readying, address: string): UnsignedTransaction {
  const bytes = new Uint8Array(Buffer.from(filled.transaction, 'base64'));
  return solanaTransaction.parse(bytes, { curve: 'CURVE_ED25519', publicKey: base58.decode(address) });
}

/** What the transaction takes from each of its signers. Nothing is signed if it is refused. */
export async function solanaTaken(ctx: ResolveContext, { signers, about }: SolanaSubject): Promise<readonly Taken[]> {
  if (about instanceof ApiError) return [];
  const bytes = new Uint8Array(Buffer.from(about.filled.transaction, 'base64'));
  const each = signers.map((found) => taken(ctx, found, (signer) => TRANSFERS_BY_KIND.SOL_SEND_TRANSACTION({ bytes, signer })));
  return (await Promise.all(each)).flat();
}

/** For each signer its own roots, and the transaction that all of them sign: every one must be allowed. */
export async function solanaViews(
  ctx: ResolveContext,
  { signWiths }: SolanaRequest,
  { signers, about }: SolanaSubject,
): Promise<Roots[]> {
  const unsigned = about instanceof ApiError ? about : unsignedOf(about, signWiths[0]!);
  const transaction = await transactionView(ctx, solanaTransaction.name, unsigned);
  return Promise.all(signers.map(async (signer) => ({ ...(await viewOfSigner(ctx, signer)), ...transaction })));
}

/** The values that are stored. `account`: the payer. */
export type ReadySolana = {
  caip2: string;
  account: string;
  fromAddress: string;
  intent: SolanaIntent;
  sponsor: SolanaSponsor | undefined;
};

/** Throws the reason why it is refused. */
export function readySolana({ signWiths }: SolanaRequest, { about }: SolanaSubject): ReadySolana {
  if (about instanceof ApiError) throw about;
  const { caip2, filled, sponsor } = about;
  const transaction = Buffer.from(filled.transaction, 'base64');
  const account = base58.encode(readTransaction(transaction).message.keys[0]!);
  return { caip2, account, fromAddress: signWiths[0]!, intent: { ...filled, signWiths }, sponsor };
}
readySolana.errors = errorsOf(usableSigner, 'INVALID_TRANSACTION');
