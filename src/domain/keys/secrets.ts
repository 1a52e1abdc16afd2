import { toHex } from '../../base/bytes.ts';
import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import { BundleError } from '../../crypto/bundle.ts';
import { p256Convert } from '../../crypto/p256.ts';
import type { Roots } from '../../engine/activity/declare.ts';
import type { KeyValue, SecretTarget, StoredSecret } from '../../model/secret.ts';
import type { Reader } from '../../store/types.ts';
import { targetOf } from '../credentials/target-keys.ts';
import { unknownRoots, type ViewContext } from '../policies/policy-view.ts';

/** How long a one-time key is open for its import. */
export const TARGET_MS = 24 * 60 * 60 * 1000;

export const fieldOf = (i: number, member: string): string => `parameters.secrets[${i}].${member}`;

/** The secret of each id, undefined for an unknown one. */
export async function secretsOf(
  { read, organization }: ViewContext,
  ids: readonly string[],
): Promise<(StoredSecret | undefined)[]> {
  const found = new Map((await read.storedSecrets.byIds(organization.id, ids)).map((secret) => [secret.id, secret]));
  return ids.map((id) => found.get(id));
}

/** The pairs as policies read them. */
export const pairsAsMap = (pairs: readonly KeyValue[] = []): Record<string, string> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, value]));

/** The root `secret` of each element. */
export const secretViews = (secrets: readonly ({ staticProperties?: readonly KeyValue[] | undefined } | undefined)[]): Roots[] =>
  secrets.map((secret) =>
    secret ? { secret: { static_properties: pairsAsMap(secret.staticProperties) } } : unknownRoots('secret'),
  );

/** A secret without a name has the name '' in policies. An unknown secret has none. */
export const nameIn = (secrets: readonly ({ name?: string | null | undefined } | undefined)[] | undefined, element: number) => {
  const secret = secrets?.[element];
  return secret && (secret.name ?? '');
};

/** The secrets, in the order of their ids. Throws NOT_FOUND for the first unknown id. */
export function requireSecrets<T>(found: readonly (T | undefined)[], ids: readonly string[]): T[] {
  return found.map((one, i) => {
    if (one === undefined)
      throw new ApiError('NOT_FOUND', `secret not found: no secret of this organization has the id ${ids[i]}`);
    return one;
  });
}
requireSecrets.errors = errorsOf('NOT_FOUND');

/** The one-time key that an element of an import names: lower-case hex, 65 bytes. */
export const targetKeyOf = (publicKey: string, i: number): string =>
  toHex(p256Convert(targetOf(publicKey, fieldOf(i, 'targetPublicKey')), 'uncompressed')!);
targetKeyOf.errors = errorsOf(targetOf);

/** A used key, an expired one and one of another organization are refused alike. */
export const noTarget = (i: number): ApiError =>
  invalid(
    fieldOf(i, 'targetPublicKey'),
    'is no open key of this organization. A key serves one import within 24 hours: INIT_IMPORT_SECRETS makes one',
  );

/** The open target of each key. Throws REQUEST_INVALID for the first key without one. */
export async function openTargets(
  read: Pick<Reader, 'secretTargets'>,
  organizationId: string,
  publicKeys: readonly string[],
  now: number,
): Promise<SecretTarget[]> {
  const found = new Map(
    (await read.secretTargets.byPublicKeys(organizationId, publicKeys)).map((target) => [target.publicKey, target]),
  );
  return publicKeys.map((publicKey, i) => {
    const target = found.get(publicKey);
    if (target === undefined || target.expiresAt <= now) throw noTarget(i);
    return target;
  });
}
openTargets.errors = errorsOf('REQUEST_INVALID');

/** Turns a BundleError into REQUEST_INVALID that names the fault of the payload. */
export function readingPayload<T>(i: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BundleError) throw invalid(fieldOf(i, 'secretPayload'), error.message);
    throw error;
  }
}
readingPayload.errors = errorsOf('REQUEST_INVALID');
