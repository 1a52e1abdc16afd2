import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import type { Organization } from '../../model/organization.ts';
import type { TvcDeployment } from '../../model/tvc/deployment.ts';
import { provisionedNow, type TvcProvisioning } from '../../model/tvc/provisioning.ts';
import type { Reader, Writer } from '../../store/types.ts';

/** Offers an approved deployment to runners. */
export async function offer(
  store: Pick<Writer, 'tvcProvisionings'>,
  { organizationId, id, appId }: TvcDeployment,
  now: number,
): Promise<void> {
  await store.tvcProvisionings.insert({
    organizationId,
    deploymentId: id,
    appId,
    runner: '',
    leaseUntil: 0,
    ephemeralKey: null,
    attestation: null,
    state: 'PROVISIONING_STATE_PENDING',
    isReady: false,
    problem: '',
    updatedAt: now,
  });
}

type Removing = Pick<Writer, 'tvcProvisionings' | 'tvcProvisioningShares' | 'tvcDebugLogs'>;

/** Takes a deployment from its runner, with the posted shares and the logs. */
export async function withdraw(store: Removing, organizationId: string, deploymentId: string): Promise<void> {
  await store.tvcProvisionings.remove(organizationId, deploymentId);
  await store.tvcProvisioningShares.remove(organizationId, deploymentId);
  await store.tvcDebugLogs.remove(organizationId, deploymentId);
}

/** The same of all deployments of an app. */
export async function withdrawApp(store: Removing & Pick<Reader, 'tvcProvisionings'>, org: string, appId: string): Promise<void> {
  for (const { deploymentId } of await store.tvcProvisionings.ofApp(org, appId)) await withdraw(store, org, deploymentId);
}

/** A deployment whose runner has made an ephemeral key. */
type Attested = TvcProvisioning & { ephemeralKey: string; attestation: Buffer };

/** Throws NOT_FOUND if no runner has attested itself for the deployment. */
export async function attestedProvisioning(
  read: Pick<Reader, 'tvcProvisionings'>,
  { organizationId, id, approvedAt }: TvcDeployment,
  now: number,
): Promise<Attested> {
  const found = provisionedNow(await read.tvcProvisionings.get(organizationId, id), now);
  if (found?.ephemeralKey && found.attestation) return found as Attested;
  const why =
    approvedAt === null
      ? 'its manifest has too few approvals'
      : found === undefined
        ? 'no runner has it at present'
        : found.problem || 'its runner has made no ephemeral key yet';
  throw new ApiError('NOT_FOUND', `no provisioning details: deployment ${id} is pending, ${why}`);
}
attestedProvisioning.errors = errorsOf('NOT_FOUND');

export type PostedShare = { deploymentId: string; ephemeralKey: string; operatorId: string; sealed: Buffer; signature: string };

type PostContext = { organization: Organization; store: Writer; ids: Ids; now: number };

/** Throws REQUEST_INVALID unless the deployment waits for shares that are sealed to this key. `field`: what names the key. */
export function requireAwaiting({ ephemeralKey, state }: Attested, given: string, field: string): void {
  if (ephemeralKey !== given)
    throw invalid(
      field,
      'is not the present ephemeral key of the deployment: seal the share to the one in its provisioning details',
    );
  if (state === 'PROVISIONING_STATE_PROVISIONED') throw invalid(field, 'has the quorum key already: it needs no further share');
}
requireAwaiting.errors = errorsOf('REQUEST_INVALID');

/** Stores a share for the runner. The operator is in the share set, and its signature was verified. */
export async function postShare(
  { organization, store, ids, now }: PostContext,
  deployment: TvcDeployment,
  { ephemeralKey, ...posted }: PostedShare,
  fields: { key: string; operator: string },
): Promise<{ provisioningShareId: string }> {
  await store.tvcProvisionings.lock({ organizationId: organization.id, deploymentId: deployment.id });
  requireAwaiting(await attestedProvisioning(store, deployment, now), ephemeralKey, fields.key);
  const id = ids.next();
  if (!(await store.tvcProvisioningShares.insert({ organizationId: organization.id, id, ...posted, createdAt: now })))
    throw invalid(fields.operator, `has already posted a share for this ephemeral key: ${posted.operatorId}`);
  return { provisioningShareId: id };
}
postShare.errors = errorsOf(attestedProvisioning, requireAwaiting, 'REQUEST_INVALID');

/** Throws REQUEST_INVALID for an app that its runner has reported as unhealthy. One that no runner has yet is no such case. */
export async function requireHealthy(
  read: Pick<Reader, 'tvcProvisionings'>,
  { organizationId, id }: TvcDeployment,
  now: number,
  field: string,
): Promise<void> {
  const found = provisionedNow(await read.tvcProvisionings.get(organizationId, id), now);
  if (found?.state === 'PROVISIONING_STATE_PROVISIONED' && !found.isReady && found.problem !== '')
    throw invalid(field, `names an unhealthy deployment: ${found.problem}`);
}
requireHealthy.errors = errorsOf('REQUEST_INVALID');
