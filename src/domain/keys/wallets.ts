import { errorsOf } from '../../base/declared-errors.ts';
import { invalid } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import { type AddressFormat, addressFormat } from '../../chains/index.ts';
import { parsePath, plainPath } from '../../crypto/derivation.ts';
import type { CreatingVault, DerivedAccount, ImportingVault, NewAccount, Sealed } from '../../custody/types.ts';
import type { ImportTarget } from '../../model/imports.ts';
import type { Signer, Wallet, WalletAccount } from '../../model/keys.ts';
import type { Limits } from '../../model/limits.ts';
import type { Organization } from '../../model/organization.ts';
import type { Writer } from '../../store/types.ts';
import type { NewWallet, NewWalletAccount } from '../../wire/wallets.ts';
import { requireRoom } from '../limits/limits.ts';

type Ctx = { organization: Organization; ids: Ids; now: number };
type PrepareCtx = Ctx & { vault: CreatingVault };

/** A derived account with its sealed key, ready to be stored. */
export type ReadyAccount = { account: WalletAccount; sealed: Buffer };
export type ReadyWallet = { wallet: Wallet; sealedMnemonic: Buffer; accounts: ReadyAccount[] };

/** The address format by name, checked against the curve. */
export function formatFor(name: string, curve: NewWalletAccount['curve'], field: string): AddressFormat {
  const format = addressFormat(name);
  if (format === undefined)
    throw invalid(field, `invalid address format: ${name} is not supported by this version of the service`);
  if (!format.curves.includes(curve))
    throw invalid(field, `invalid curve: ${name} is for ${format.curves.join(' or ')}, not ${curve}`);
  return format;
}
formatFor.errors = errorsOf('REQUEST_INVALID');

function checked(accounts: readonly NewWalletAccount[], field: string): { format: AddressFormat; wanted: NewWalletAccount }[] {
  const seen = new Set<string>();
  return accounts.map((given, i) => {
    const at = `${field}[${i}]`;
    const wanted = { ...given, path: plainPath(given.path) };
    if (parsePath(given.path) === undefined) throw invalid(`${at}.path`, "invalid path: must look like m/44'/60'/0'/0/0");
    const key = `${wanted.curve} ${wanted.path} ${wanted.addressFormat}`;
    if (seen.has(key)) throw invalid(`${at}.path`, 'invalid path: wallet account already exists earlier in this list');
    seen.add(key);
    return { format: formatFor(wanted.addressFormat, wanted.curve, `${at}.addressFormat`), wanted };
  });
}

async function ready(
  ctx: Ctx,
  walletId: string,
  accounts: readonly NewWalletAccount[],
  field: string,
  derive: (accounts: NewAccount[]) => Promise<DerivedAccount[]>,
): Promise<ReadyAccount[]> {
  const rows = checked(accounts, field);
  const derived = await derive(rows.map(({ wanted }) => ({ id: ctx.ids.next(), curve: wanted.curve, path: wanted.path })));
  return derived.map(({ id, publicKey, sealed }, i) => {
    const { wanted, format } = rows[i]!;
    const account: WalletAccount = {
      organizationId: ctx.organization.id,
      id,
      walletId,
      curve: wanted.curve,
      path: wanted.path,
      addressFormat: wanted.addressFormat,
      address: format.encode(publicKey, wanted.curve),
      publicKey: publicKey.toString('hex'),
      name: wanted.name ?? null,
      exported: false,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    };
    return { account, sealed };
  });
}

/** What app proofs say about derived accounts. */
export const derivedAddresses = (accounts: readonly ReadyAccount[]): WalletAccount[] => accounts.map(({ account }) => account);

type MadeWallet = { sealedMnemonic: Buffer; accounts: DerivedAccount[] };

async function readyWallet(
  ctx: Ctx,
  { walletName, accounts, imported }: { walletName: string; accounts: readonly NewWalletAccount[]; imported: boolean },
  field: string,
  make: (walletId: string, accounts: NewAccount[]) => Promise<MadeWallet>,
): Promise<ReadyWallet> {
  const walletId = ctx.ids.next();
  let sealedMnemonic: Buffer | undefined;
  const derived = await ready(ctx, walletId, accounts, `${field}.accounts`, async (wanted) => {
    const made = await make(walletId, wanted);
    sealedMnemonic = made.sealedMnemonic;
    return made.accounts;
  });
  const wallet: Wallet = {
    organizationId: ctx.organization.id,
    id: walletId,
    name: walletName,
    exported: false,
    imported,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  };
  return { wallet, sealedMnemonic: sealedMnemonic!, accounts: derived };
}

/** Creates a wallet outside any transaction. `field`: its parameters' field in the request. */
export function prepareWallet(ctx: PrepareCtx, params: NewWallet, field: string): Promise<ReadyWallet> {
  return readyWallet(ctx, { ...params, imported: false }, field, (walletId, wanted) =>
    ctx.vault.newWallet(ctx.organization.id, walletId, params.mnemonicLength ?? 12, wanted),
  );
}
prepareWallet.errors = errorsOf(formatFor);

/** The same from a bundle that a client sealed to the target key. */
export function prepareImportedWallet(
  ctx: Ctx & { vault: ImportingVault },
  target: ImportTarget,
  params: { walletName: string; encryptedBundle: string; accounts: readonly NewWalletAccount[] },
): Promise<ReadyWallet> {
  return readyWallet(ctx, { ...params, imported: true }, 'parameters', (walletId, wanted) =>
    ctx.vault.importWallet(target, params.encryptedBundle, walletId, wanted),
  );
}
prepareImportedWallet.errors = errorsOf(formatFor);

/** Derives further accounts of a wallet outside any transaction. */
export function prepareAccounts(
  ctx: PrepareCtx,
  walletId: string,
  mnemonic: Sealed,
  accounts: readonly NewWalletAccount[],
  field: string,
): Promise<ReadyAccount[]> {
  return ready(ctx, walletId, accounts, field, (wanted) => ctx.vault.deriveAccounts(mnemonic, wanted));
}
prepareAccounts.errors = errorsOf(formatFor);

type StoreCtx = { store: Writer; limits: Limits };

/** Stores accounts of a single wallet. */
export async function storeAccounts(
  { store, limits }: StoreCtx,
  organization: Organization,
  accounts: readonly ReadyAccount[],
  field: string,
): Promise<string[]> {
  const have = await store.organizations.count(organization.id, 'walletAccountCount');
  requireRoom(have, accounts.length, limits.walletAccounts, 'wallet accounts', 'LIMIT_WALLET_ACCOUNTS');
  for (const [i, { account, sealed }] of accounts.entries()) {
    if (!(await store.wallets.insertAccount(account))) {
      const exists = await store.wallets.hasAccount(
        organization.id,
        account.walletId,
        account.path,
        account.curve,
        account.addressFormat,
      );
      if (exists) throw invalid(`${field}[${i}].path`, 'invalid path: wallet account already exists');
      throw invalid(`${field}[${i}].name`, 'wallet account name must be unique in the organization');
    }
    await store.signers.insertSecret(organization.id, account.id, 'account-key', sealed);
    const signer: Signer = {
      organizationId: organization.id,
      parentId: organization.parentId,
      address: account.address,
      format: account.addressFormat,
      keyId: account.id,
      walletId: account.walletId,
      curve: account.curve,
      disabled: false,
      position: 0,
    };
    await store.signers.insert(signer);
  }
  return accounts.map(({ account }) => account.address);
}
storeAccounts.errors = errorsOf('REQUEST_INVALID', requireRoom);

export async function storeWallet(
  ctx: StoreCtx,
  organization: Organization,
  { wallet, sealedMnemonic, accounts }: ReadyWallet,
  field: string,
): Promise<{ walletId: string; addresses: string[] }> {
  const { store, limits } = ctx;
  const have = await store.organizations.count(organization.id, 'walletCount');
  requireRoom(have, 1, limits.wallets, 'wallets', 'LIMIT_WALLETS');
  if (!(await store.wallets.insert(wallet)))
    throw invalid(`${field}.walletName`, 'wallet label must be unique: the organization has a wallet of this name');
  await store.signers.insertSecret(organization.id, wallet.id, 'mnemonic', sealedMnemonic);
  const addresses = await storeAccounts(ctx, organization, accounts, `${field}.accounts`);
  return { walletId: wallet.id, addresses };
}
storeWallet.errors = errorsOf(storeAccounts);
