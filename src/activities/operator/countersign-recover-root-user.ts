import { z } from 'zod';
import { addApiKeys } from '../../domain/credentials/api-keys.ts';
import { requireRecoverable } from '../../domain/people/root-recovery.ts';
import { userNamed } from '../../domain/people/user-by-id.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { mailRecovery } from '../../engine/submit/root-recovery.ts';
import { withoutPending } from '../../model/root-recovery.ts';
import { Id, IdOut, Label } from '../../wire/common.ts';
import { Reason } from '../../wire/sends.ts';

/** `notBeforeMs`: the earliest time at which it takes effect. The rest is what the operator saw when they asked for it. */
const P1 = z.object({
  userId: Id,
  apiKeyName: Label,
  publicKey: z.string(),
  reason: Reason,
  delaySeconds: z.int(),
  notBeforeMs: z.string(),
  removeMfaPolicyIds: z.array(Id),
  bindingMfaPolicyIds: z.array(Id),
});

/** `countersign recover-root` writes it into the database, with a stamp of the service's own key. No request submits it. */
export const countersignRecoverRootUser = activity({
  kind: 'COUNTERSIGN_RECOVER_ROOT_USER',
  resource: '',
  action: '',
  governedBy: 'root-quorum',
  summary: 'Add an API key to a root user who lost every credential: by the operator alone, after a delay',
  params: v1(P1),
  result: {
    key: 'countersignRecoverRootUserResult',
    shape: z.object({
      apiKeyId: IdOut,
      removedMfaPolicyIds: z.array(IdOut),
      bindingMfaPolicyIds: z.array(IdOut),
    }),
  },
  errors: [requireRecoverable, userNamed, addApiKeys],
  async execute({ ctx, intent }) {
    const { organization, store, activityId, now } = ctx;
    const { userId, apiKeyName, publicKey, removeMfaPolicyIds } = intent;
    await requireRecoverable(store, organization, userId);
    const user = await userNamed(store, organization, userId);
    const key = { apiKeyName, publicKey, curveType: 'API_KEY_CURVE_P256' } as const;
    const [apiKeyId] = await addApiKeys(ctx, user, [key], 'parameters');
    const policies = await store.mfaPolicies.listByUser(organization.id, userId);
    const removed = policies.map(({ id }) => id).filter((id) => removeMfaPolicyIds.includes(id));
    for (const id of removed) await store.mfaPolicies.remove(organization.id, userId, id, now);
    await store.organizations.change(organization.id, { rootRecovery: withoutPending(organization) }, now);
    await mailRecovery(store, { organization, activityId, intent }, ctx, { stage: 'done', at: now });
    const bindingMfaPolicyIds = policies.map(({ id }) => id).filter((id) => !removed.includes(id));
    return { apiKeyId: apiKeyId!, removedMfaPolicyIds: removed, bindingMfaPolicyIds };
  },
});
