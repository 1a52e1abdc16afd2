import { CommandFailed } from '../../base/command-failed.ts';
import type { Ids } from '../../base/ids.ts';
import type { Envelope } from '../../custody/envelope.ts';
import { stampAsOperator } from '../../custody/operator-stamp.ts';
import type { ServiceKey } from '../../custody/service-keys.ts';
import { fingerprintOf } from '../../engine/request/context.ts';
import type { Activity } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import { OPERATOR_ID } from '../../model/root-recovery.ts';
import type { Writer } from '../../store/types.ts';

type Made = { organization: Organization; type: string; body: Buffer; ids: Ids; now: number };

/** A pending activity of the operator, whose body is stamped as by a client. */
export async function operatorsActivity(
  tx: Writer,
  envelope: Envelope,
  { organization, type, body, ids, now }: Made,
): Promise<Activity> {
  const key = (await tx.instance.serviceKeys()).find(({ name }) => name === 'operator-signer');
  if (key === undefined) throw new CommandFailed('the service has no key for stamps of the operator yet: start the service once');
  return {
    organizationId: organization.id,
    id: ids.next(),
    fingerprint: fingerprintOf(body),
    type,
    status: 'ACTIVITY_STATUS_PENDING',
    body,
    result: '',
    failure: null,
    version: 1,
    voteId: ids.next(),
    userId: OPERATOR_ID,
    userVersion: 1,
    credentialId: OPERATOR_ID,
    ...stampAsOperator(envelope, key as ServiceKey, body),
    factsVersion: organization.version,
    createdAt: now,
    updatedAt: now,
  };
}
