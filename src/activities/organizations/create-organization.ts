import { z } from 'zod';
import { ApiError, invalid } from '../../base/errors.ts';
import { uuidOf } from '../../base/ids.ts';
import { activity } from '../../engine/activity/declare.ts';
import type { Arrival } from '../../engine/context.ts';
import type { Organization } from '../../model/organization.ts';
import { newUser } from '../../model/user.ts';
import { IdOut } from '../../wire/common.ts';
import { type CreateOrganization, params } from './create-organization.history.ts';

const shape = z.object({ organizationId: IdOut });

export const createOrganization = activity<CreateOrganization, typeof shape, Arrival>({
  kind: 'CREATE_ORGANIZATION',
  resource: 'ORGANIZATION',
  action: 'CREATE',
  summary:
    'Make a top-level organization, with the passkey that stamps this request as its root user’s (ALLOW_CREATE_ORGANIZATION=1)',
  callers: 'newcomer',
  // The same body is the same organization, whatever id it names.
  runsIn: ({ timestampMs, fingerprint }) => uuidOf(Number(timestampMs), fingerprint.slice('sha256:'.length)),
  params,
  result: { key: 'createOrganizationResult', shape },
  errors: ['REQUEST_INVALID', 'REQUEST_NOT_AUTHORIZED'],
  async admit({ ids, now, organizationId: id, organization: taken, mayCreateOrganizations }, intent) {
    if (!mayCreateOrganizations)
      throw new ApiError(
        'REQUEST_NOT_AUTHORIZED',
        'request not authorized: this service does not let anybody make organizations. Its operator can, with ALLOW_CREATE_ORGANIZATION=1',
      );
    if (taken !== undefined) throw invalid('timestampMs', 'must be another one: send a new body');
    const times = { createdAt: now, updatedAt: now };
    const user = newUser({
      organizationId: id,
      id: ids.next(),
      parentId: null,
      name: 'Root user',
      email: intent.rootEmail,
      ...times,
    });
    const organization: Organization = {
      id,
      parentId: null,
      name: intent.organizationName,
      version: 0,
      policiesVersion: 1,
      archivedUntil: 0,
      rootQuorum: { threshold: 1, userIds: [user.id] },
      features: {},
      ...times,
    };
    return { organization, user, passkey: intent.rootAuthenticator, field: 'parameters.rootAuthenticator' };
  },
  async execute({ store }, _intent, { organization, user, authenticator }) {
    await store.organizations.insert({ ...organization, version: 1 });
    await store.users.insert(user);
    await store.authenticators.insert(authenticator);
    return { organizationId: organization.id };
  },
});
