import { setImmediate } from 'node:timers/promises';
import { zero } from '../base/bytes.ts';
import { splitExportedMnemonic } from '../bundles/wallet-text.ts';
import { generatePrivateKey } from '../crypto/curves.ts';
import { type KeyTree, keyTree } from '../crypto/derivation.ts';
import { generateMnemonic, mnemonicToSeed } from '../crypto/mnemonic.ts';
import { bytesOfKey, type PlainKey } from '../crypto/plain-key.ts';
import { type Means, sealKey, withSecret } from './means.ts';
import type { CreatingVault, DerivedAccount, NewAccount } from './types.ts';

/** Number of accounts that are derived before the thread is yielded. */
const AT_ONCE = 20;

/** Sorts accounts by path text, so that accounts with the same parent are adjacent. Keeps each original index. */
function byParent(accounts: readonly NewAccount[]): [number, NewAccount][] {
  const keyed = accounts.map((account, i) => ({ i, account, key: `${account.curve} ${account.path}` }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return keyed.map(({ i, account }) => [i, account]);
}

export function creating(means: Means): CreatingVault {
  const { random } = means;
  return {
    newWallet: (organizationId, walletId, words, accounts) =>
      sealWallet(means, organizationId, walletId, generateMnemonic(words, random), accounts),
    deriveAccounts(secret, accounts) {
      const stored = withSecret(means, secret, storedText);
      return derive(means, secret.name.organizationId, stored, accounts);
    },
    newPrivateKey: (organizationId, id, curve) =>
      sealKey(means, { organizationId, id, purpose: 'private-key' }, curve, generatePrivateKey(curve, random)),
  };
}

/** The mnemonic, and the passphrase if there is one. */
export const storedText = (plain: PlainKey): string => bytesOfKey(plain).toString('utf8');

/** `stored`: the opened wallet secret, which is the mnemonic and the passphrase if it has one. */
async function derive(
  means: Means,
  organizationId: string,
  stored: string,
  accounts: readonly NewAccount[],
): Promise<DerivedAccount[]> {
  return withKeyTree(stored, async (tree) => {
    const derived = new Array<DerivedAccount>(accounts.length);
    for (const [done, [i, { id, curve, path }]] of byParent(accounts).entries()) {
      // A key takes up to half a millisecond, so other requests run in between.
      if (done % AT_ONCE === AT_ONCE - 1) await setImmediate();
      const name = { organizationId, id, purpose: 'account-key' } as const;
      derived[i] = { id, ...sealKey(means, name, curve, tree.privateKey(curve, path)) };
    }
    return derived;
  });
}

/** Derives keys of a wallet, and wipes the tree afterwards. `stored`: see `derive`. */
export async function withKeyTree<T>(stored: string, use: (tree: KeyTree) => Promise<T>): Promise<T> {
  const { mnemonic, passphrase } = splitExportedMnemonic(stored);
  const seed = await mnemonicToSeed(mnemonic, passphrase);
  const tree = keyTree(seed);
  try {
    return await use(tree);
  } finally {
    tree.wipe();
    zero(seed);
  }
}

export async function sealWallet(
  means: Means,
  organizationId: string,
  walletId: string,
  stored: string,
  accounts: readonly NewAccount[],
): Promise<{ sealedMnemonic: Buffer; accounts: DerivedAccount[] }> {
  const bytes = Buffer.from(stored);
  const sealedMnemonic = means.envelope.seal({ organizationId, id: walletId, purpose: 'mnemonic' }, bytes);
  zero(bytes);
  return { sealedMnemonic, accounts: await derive(means, organizationId, stored, accounts) };
}
