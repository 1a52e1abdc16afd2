import { z } from 'zod';
import { ApiError, invalid } from '../../base/errors.ts';
import { uuidOf } from '../../base/ids.ts';
import { spendOrganization } from '../../domain/limits/unstamped.ts';
import { emailOf } from '../../domain/people/contacts.ts';
import { activity } from '../../engine/activity/declare.ts';
import type { Arrival } from '../../engine/context.ts';
import { newOrganization, TOP_LEVEL_FEATURES } from '../../model/organization.ts';
import { newUser } from '../../model/user.ts';
import { IdOut } from '../../wire/common.ts';
import { type CreateOrganization, params } from './create-organization.history.ts';

const shape = z.object({ organizationId: IdOut });

export const createOrganization = activity<CreateOrganization, typeof shape, Arrival>({
  kind: 'CREATE_ORGANIZATION',
  resource: 'ORGANIZATION',
  action: 'CREATE',
  summary:
    'Create a top-level organization; the passkey that stamps this request is that of its root user (ALLOW_CREATE_ORGANIZATION=1)',
  // The same body leads to the same organization, whatever id it names.
  runsIn: ({ timestampMs, fingerprint }) => uuidOf(Number(timestampMs), fingerprint.slice('sha256:'.length)),
  params,
  result: { key: 'createOrganizationResult', shape },
  errors: ['REQUEST_INVALID', emailOf, 'REQUEST_NOT_AUTHORIZED', spendOrganization],
  async admit({ ctx: { read, ids, now, organizationId: id, organization: taken, mayCreateOrganizations }, intent }) {
    if (!mayCreateOrganizations)
      throw new ApiError(
        'REQUEST_NOT_AUTHORIZED',
        'request not authorized: this service does not let callers create organizations. Its operator can allow it with ALLOW_CREATE_ORGANIZATION=1',
      );
    if (taken !== undefined || (await read.deletedOrganizations.get(id)) !== undefined)
      throw invalid('timestampMs', 'must be another time: this body created an organization that was deleted');
    const user = newUser({
      organizationId: id,
      id: ids.next(),
      parentId: null,
      name: 'Root user',
      email: emailOf(intent.rootEmail, 'parameters.rootEmail'),
      createdAt: now,
    });
    const rootQuorum = { threshold: 1, userIds: [user.id] };
    const name = intent.organizationName;
    const organization = newOrganization({
      id,
      parentId: null,
      name,
      version: 0,
      rootQuorum,
      features: { ...TOP_LEVEL_FEATURES },
      createdAt: now,
    });
    return { organization, user, passkey: intent.rootAuthenticator, field: 'parameters.rootAuthenticator' };
  },
  async execute({ ctx, subject: { organization, user, authenticator, address } }) {
    const { store } = ctx;
    await spendOrganization(ctx, address);
    await store.organizations.insert({ ...organization, version: 1 });
    await store.users.insert(user);
    await store.authenticators.insert(authenticator);
    return { organizationId: organization.id };
  },
});
