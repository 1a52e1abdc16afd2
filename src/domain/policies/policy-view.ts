import { parsePath } from '../../crypto/derivation.ts';
import type { Roots } from '../../engine/activity/declare.ts';
import type { Wallet } from '../../model/keys.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader, SealedSigner } from '../../store/types.ts';
import { lookUpSigner } from '../keys/signers.ts';

export type ViewContext = { read: Reader; organization: Organization };

const HARDENED = 0x80000000;

const walletRoot = ({ id, imported, exported, name }: Wallet) => ({ id, imported, exported, label: name });

/**
 * Roots of an object that was not found. It may exist by the time the activity runs, so the roots are not absent but unusable.
 * An ALLOW that reads them does not allow, and a DENY that reads them denies.
 */
export const unknownRoots = (...roots: string[]): Roots =>
  Object.fromEntries(
    roots.map((root) => [
      root,
      () => {
        throw new Error(`the object of \`${root}\` was not found`);
      },
    ]),
  );

export async function walletView({ read, organization }: ViewContext, walletId: string): Promise<Roots> {
  const wallet = await read.wallets.get(organization.id, walletId);
  return wallet === undefined ? unknownRoots('wallet') : { wallet: walletRoot(wallet) };
}

export async function walletsView({ read, organization }: ViewContext, walletIds: readonly string[]): Promise<Roots> {
  const wallets: Wallet[] = [];
  for (const id of walletIds) {
    const wallet = await read.wallets.get(organization.id, id);
    // Policies about all wallets must not be evaluated on only some of them.
    if (wallet === undefined) return unknownRoots('wallets');
    wallets.push(wallet);
  }
  return { wallets: wallets.map(walletRoot) };
}

export async function privateKeyView({ read, organization }: ViewContext, keyId: string): Promise<Roots> {
  const key = await read.privateKeys.get(organization.id, keyId);
  if (key === undefined) return unknownRoots('private_key');
  const tags = await read.tags.ofMember(organization.id, keyId);
  return { private_key: { id: key.id, tags, imported: key.imported, exported: key.exported, label: key.name } };
}

/** The roots that `signerView` may show. */
export const SIGNER_ROOTS = ['wallet', 'wallet_account', 'private_key'] as const;

/** `wallet` and `wallet_account`, or `private_key`, whichever `signWith` names. */
export async function signerView(ctx: ViewContext, signWith: string): Promise<Roots> {
  return viewOfSigner(ctx, await lookUpSigner(ctx.read, ctx.organization.id, signWith));
}

/** The same, with more about the account: only its export shows policies how its key is made. */
export async function exportedView(ctx: ViewContext, address: string): Promise<Roots> {
  return viewOfSigner(ctx, await lookUpSigner(ctx.read, ctx.organization.id, address), true);
}

/** The same, for a signer that was already looked up. */
export async function viewOfSigner(ctx: ViewContext, found: SealedSigner | undefined, isExport = false): Promise<Roots> {
  if (found === undefined) return unknownRoots(...SIGNER_ROOTS);
  const { keyId, walletId, address } = found.signer;
  if (walletId === null) return privateKeyView(ctx, keyId);
  const [wallet, account] = await Promise.all([walletView(ctx, walletId), ctx.read.wallets.account(ctx.organization.id, keyId)]);
  if (account === undefined) return { ...wallet, ...unknownRoots('wallet_account') };
  const path = parsePath(account.path) ?? [];
  const path_indexes = path.map((n) => BigInt(n >= HARDENED ? n - HARDENED : n));
  // Ed25519 keys are derived as if every segment were hardened, whatever the text says.
  const path_hardened = path.map((n) => n >= HARDENED || account.curve === 'CURVE_ED25519');
  const shown = { address, path_indexes, path_hardened };
  if (!isExport) return { ...wallet, wallet_account: shown };
  const derived = ['m', ...path_indexes.map((index, i) => `${index}${path_hardened[i] ? "'" : ''}`)].join('/');
  const { curve, addressFormat: address_format } = account;
  return { ...wallet, wallet_account: { ...shown, path: derived, wallet_id: walletId, curve, address_format } };
}
