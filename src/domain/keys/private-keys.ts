import { errorsOf } from '../../base/declared-errors.ts';
import { invalid } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import type { Curve } from '../../crypto/curves.ts';
import type { CreatingVault } from '../../custody/types.ts';
import type { PrivateKey } from '../../model/keys.ts';
import type { Limits } from '../../model/limits.ts';
import type { Organization } from '../../model/organization.ts';
import type { Writer } from '../../store/types.ts';
import type { NewPrivateKey } from '../../wire/wallets.ts';
import type { Ctx as AddingCtx } from '../context.ts';
import { requireRoom } from '../limits/limits.ts';
import { addTags } from '../people/tags.ts';
import { formatFor } from './wallets.ts';

export type KeyAddress = { format: string; address: string };

/** A private key, created or imported, with its sealed secret, ready to be stored. */
export type ReadyPrivateKey = { key: PrivateKey; sealed: Buffer; addresses: KeyAddress[] };

type Ctx = { organization: Organization; now: number };
type Wanted = { id: string; name: string; curve: Curve; addressFormats: readonly string[] };
type Made = { publicKey: Buffer; sealed: Buffer; imported: boolean };

/** `field`: the parameters' field in the request. */
export function readyPrivateKey({ organization, now }: Ctx, wanted: Wanted, made: Made, field: string): ReadyPrivateKey {
  const { id, name, curve, addressFormats } = wanted;
  const { publicKey, sealed, imported } = made;
  const addresses = [...new Set(addressFormats)].map((format) => ({
    format,
    address: formatFor(format, curve, `${field}.addressFormats[${addressFormats.indexOf(format)}]`).encode(publicKey, curve),
  }));
  const times = { createdAt: now, updatedAt: now };
  const hex = publicKey.toString('hex');
  return {
    key: { organizationId: organization.id, id, name, curve, publicKey: hex, exported: false, imported, ...times },
    sealed,
    addresses,
  };
}
readyPrivateKey.errors = errorsOf(formatFor);

type StoreCtx = { organization: Organization; store: Writer; limits: Limits };

export async function storePrivateKeys(
  { organization, store, limits }: StoreCtx,
  ready: readonly ReadyPrivateKey[],
  nameField: (i: number) => string,
): Promise<void> {
  const count = await store.organizations.count(organization.id, 'privateKeyCount');
  requireRoom(count, ready.length, limits.privateKeys, 'private keys', 'LIMIT_PRIVATE_KEYS');
  for (const [i, { key, sealed, addresses }] of ready.entries()) {
    if (!(await store.privateKeys.insert(key)))
      throw invalid(nameField(i), 'private key label must be unique: the organization has a private key of this name');
    await store.signers.insertSecret(organization.id, key.id, 'private-key', sealed);
    for (const [position, { format, address }] of [{ format: '', address: key.id }, ...addresses].entries()) {
      await store.signers.insert({
        organizationId: organization.id,
        parentId: organization.parentId,
        address,
        format,
        keyId: key.id,
        walletId: null,
        curve: key.curve,
        disabled: false,
        position,
      });
    }
  }
}
storePrivateKeys.errors = errorsOf('REQUEST_INVALID', requireRoom);

/** A new private key with its future tags. */
export type TaggedKey = ReadyPrivateKey & { tags: readonly string[] };

/** Creates private keys outside any transaction. `field`: their parameters' field in the request. */
export function preparePrivateKeys(
  ctx: Ctx & { ids: Ids; vault: CreatingVault },
  keys: readonly NewPrivateKey[],
  field: string,
): TaggedKey[] {
  return keys.map(({ privateKeyName: name, curve, addressFormats, privateKeyTags: tags }, i) => {
    const id = ctx.ids.next();
    const made = { ...ctx.vault.newPrivateKey(ctx.organization.id, id, curve), imported: false };
    return { ...readyPrivateKey(ctx, { id, name, curve, addressFormats }, made, `${field}[${i}]`), tags };
  });
}
preparePrivateKeys.errors = errorsOf(readyPrivateKey);

type StoredKey = { privateKeyId: string; addresses: KeyAddress[] };

/** Stores new private keys with their tags. */
export async function storeTaggedKeys(
  ctx: AddingCtx,
  organization: Organization,
  ready: readonly TaggedKey[],
  field: string,
): Promise<StoredKey[]> {
  await storePrivateKeys({ ...ctx, organization }, ready, (i) => `${field}[${i}].privateKeyName`);
  for (const [i, { key, tags }] of ready.entries())
    await addTags(ctx, organization.id, 'private_key', key.id, tags, `${field}[${i}].privateKeyTags`);
  return ready.map(({ key, addresses }) => ({ privateKeyId: key.id, addresses }));
}
storeTaggedKeys.errors = errorsOf('REQUEST_INVALID', addTags, storePrivateKeys);
