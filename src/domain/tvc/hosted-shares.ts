import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { Attested } from '../../crypto/attestation.ts';
import type { Sealed } from '../../custody/types.ts';
import type { TvcDeployment } from '../../model/tvc/deployment.ts';
import type { TvcOperator } from '../../model/tvc/operator.ts';
import type { Reader } from '../../store/types.ts';
import { frozenKey } from '../keys/frozen.ts';
import { attestedProvisioning, requireAwaiting } from './provisioning.ts';

/**
 * The ephemeral key that a document of this service vouches for, if it is the present one of the deployment. `document`: undefined if the
 * service has not signed it.
 */
export async function attestedEphemeralKey(
  read: Pick<Reader, 'tvcProvisionings'>,
  deployment: TvcDeployment,
  document: Attested | undefined,
  { now, field }: { now: number; field: string },
): Promise<string> {
  if (document === undefined) throw invalid(field, 'is not an attestation document that this service has signed');
  if (!document.userData.equals(Buffer.from(deployment.manifestHash, 'hex')))
    throw invalid(field, 'is about another manifest than that of the deployment');
  const ephemeralKey = document.publicKey.toString('hex');
  requireAwaiting(await attestedProvisioning(read, deployment, now), ephemeralKey, field);
  return ephemeralKey;
}
attestedEphemeralKey.errors = errorsOf(attestedProvisioning, requireAwaiting, 'REQUEST_INVALID');

/** The share of a quorum key that is sealed to this key. Throws NOT_FOUND. */
export async function sealedShareOf(
  read: Pick<Reader, 'tvcQuorumKeys'>,
  org: string,
  quorumPublicKey: string,
  encryptPublicKey: string,
): Promise<Buffer> {
  const key = await read.tvcQuorumKeys.byPublicKey(org, quorumPublicKey);
  if (key === undefined)
    throw new ApiError('NOT_FOUND', 'quorum key not found: CREATE_TVC_QUORUM_KEY has not made the one of the app');
  const share = await read.tvcQuorumKeys.share(org, key.id, encryptPublicKey);
  if (share === undefined) throw new ApiError('NOT_FOUND', 'share not found: the quorum key has none for this operator');
  return share.sealed;
}
sealedShareOf.errors = errorsOf('NOT_FOUND');

/** The private key of an account of the organization. Undefined if there is none, also where its wallet was deleted. */
export async function accountKey(read: Pick<Reader, 'signers'>, org: string, publicKey: string): Promise<Sealed | undefined> {
  const found = await read.signers.find(org, publicKey);
  if (found?.isFrozen) throw frozenKey();
  if (found?.purpose !== 'account-key' || found.signer.curve !== 'CURVE_P256') return undefined;
  return { name: { organizationId: org, id: found.signer.keyId, purpose: found.purpose }, sealed: found.sealed };
}

accountKey.errors = errorsOf('FROZEN');

/** Throws REQUEST_INVALID if the service does not hold the operator's keys, also where its wallet was deleted. */
export async function hostedKeys(
  read: Pick<Reader, 'signers'>,
  { organizationId, walletId, encryptPublicKey, signPublicKey }: TvcOperator,
  field: string,
): Promise<{ encryptKey: Sealed; signKey: Sealed }> {
  const encryptKey = await accountKey(read, organizationId, encryptPublicKey);
  const signKey = await accountKey(read, organizationId, signPublicKey);
  if (walletId === null || encryptKey === undefined || signKey === undefined)
    throw invalid(field, 'is of an operator whose keys the service does not hold: use POST_TVC_QUORUM_KEY_SHARE');
  return { encryptKey, signKey };
}
hostedKeys.errors = errorsOf('REQUEST_INVALID', accountKey);
