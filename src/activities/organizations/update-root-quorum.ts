import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { requireNotProxy } from '../../domain/people/auth-proxy.ts';
import { awaitsInvited } from '../../domain/people/invitations.ts';
import { requireLastingLoginLeft } from '../../domain/people/lasting-credentials.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id } from '../../wire/common.ts';

const threshold = 'quorum threshold must be non-zero integer';

export const updateRootQuorum = activity({
  kind: 'UPDATE_ROOT_QUORUM',
  resource: '',
  action: '',
  governedBy: 'root-quorum',
  summary: 'Set the root users, and how many of them must agree',
  params: v1(
    z.object({
      threshold: z.int(threshold).positive(threshold),
      userIds: z.array(Id).min(1, 'must name at least one user').max(100),
    }),
  ),
  result: { key: 'updateRootQuorumResult', shape: z.object({}) },
  errors: [requireNotProxy, requireLastingLoginLeft],
  async execute({ ctx, intent: quorum }) {
    const { organization, store } = ctx;
    if (new Set(quorum.userIds).size !== quorum.userIds.length) throw invalid('parameters.userIds', 'must not name a user twice');
    if (quorum.threshold > quorum.userIds.length)
      throw invalid('parameters.threshold', `must be at most the number of root users, ${quorum.userIds.length}`);
    for (const id of quorum.userIds) requireNotProxy(organization, id, 'parameters.userIds');
    let frozen = 0;
    for (const id of quorum.userIds) {
      const user = await store.users.get(organization.id, id);
      if (user === undefined) throw invalid('parameters.userIds', `quorum users missing: there is no user ${id}`);
      if (user.frozen) frozen++;
    }
    if (quorum.userIds.length - frozen < quorum.threshold)
      throw invalid('parameters.threshold', `must be at most the number of root users who are not frozen: ${frozen} are`);
    for (const id of quorum.userIds)
      if (await awaitsInvited(store, organization.id, id))
        throw invalid('parameters.userIds', `user ${id} has not accepted their invitation, so they could not vote`);
    for (const [i, id] of quorum.userIds.entries())
      await requireLastingLoginLeft(store, organization, id, `parameters.userIds[${i}]`);
    await store.organizations.change(organization.id, { rootQuorum: quorum }, ctx.now);
    return {};
  },
});
