import type { ResolvedActivity } from '../../engine/activity/decode.ts';
import { KEY_PARAMETERS } from '../../engine/activity/key-parameters.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader, SealedSigner } from '../../store/types.ts';
import { lookUpSigner } from './signers.ts';

/** A wallet or a key. `keyId`: '' for a whole wallet. `walletId`: null for a key that belongs to no wallet. */
export type NamedKey = { walletId: string | null; keyId: string };

type Find = (read: Reader, org: string, name: string) => Promise<NamedKey | undefined>;

const wallet: Find = async (_read, _org, walletId) => ({ walletId, keyId: '' });
const privateKey: Find = async (_read, _org, keyId) => ({ walletId: null, keyId });
const account: Find = async (read, org, id) => {
  const found = await read.wallets.account(org, id);
  return found && { walletId: found.walletId, keyId: id };
};
const signer: Find = async (read, org, address) => (await lookUpSigner(read, org, address))?.signer;

const BY_MEMBER: Readonly<Record<(typeof KEY_PARAMETERS)[number], Find>> = {
  walletId: wallet,
  walletIds: wallet,
  privateKeyId: privateKey,
  privateKeyIds: privateKey,
  walletAccountId: account,
  walletAccountIds: account,
  address: signer,
};

type Subject = { signer?: SealedSigner; signers?: readonly (SealedSigner | undefined)[] };

/** The wallets and keys that an activity names. A transaction that was signed before names the key that signed it. */
export async function namedKeys(
  read: Reader,
  { organization, activity }: { organization: Organization; activity: ResolvedActivity },
): Promise<NamedKey[]> {
  const found: (NamedKey | undefined)[] = [];
  const intent = activity.intent as Record<string, unknown>;
  for (const member of KEY_PARAMETERS)
    for (const name of new Set([intent[member]].flat()))
      if (typeof name === 'string') found.push(await BY_MEMBER[member](read, organization.id, name));
  const { signer: own, signers = own && [own] } = ((await activity.subject()) ?? {}) as Subject;
  if (found.length === 0) found.push(...(signers ?? []).map((one) => one?.signer));
  return found.filter((one) => one !== undefined);
}
