import { parsePath } from '../../crypto/derivation.ts';
import type { Roots } from '../../engine/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import { lookUpSigner } from './signers.ts';

const HARDENED = 0x80000000;

/** `wallet` and `wallet_account`, or `private_key`: what `signWith` names. Nothing, where it names nothing: then signing fails later. */
export async function signerView(
  { read, organization }: { read: Reader; organization: Organization },
  signWith: string,
): Promise<Roots> {
  const found = await lookUpSigner(read, organization.id, signWith);
  if (found === undefined) return {};
  const { keyId, walletId, address } = found.signer;
  if (walletId === null) {
    const key = await read.privateKeys.get(organization.id, keyId);
    if (key === undefined) return {};
    const tags = await read.tags.ofMember(organization.id, keyId);
    return { private_key: { id: key.id, tags, imported: key.imported, exported: key.exported, label: key.name } };
  }
  const [wallet, account] = await Promise.all([
    read.wallets.get(organization.id, walletId),
    read.wallets.account(organization.id, keyId),
  ]);
  if (wallet === undefined || account === undefined) return {};
  const path = parsePath(account.path) ?? [];
  return {
    wallet: { id: wallet.id, imported: wallet.imported, exported: wallet.exported, label: wallet.name },
    wallet_account: {
      address,
      path_indexes: path.map((n) => BigInt(n >= HARDENED ? n - HARDENED : n)),
      path_hardened: path.map((n) => n >= HARDENED),
    },
  };
}
