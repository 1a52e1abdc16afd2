import { z } from 'zod';
import { ApiError, invalid } from '../../base/errors.ts';
import { requireUnfrozen } from '../../domain/keys/frozen.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Ids, IdsOut, WithoutExport } from '../../wire/exports.ts';

export const deletePrivateKeys = activity({
  kind: 'DELETE_PRIVATE_KEYS',
  resource: 'PRIVATE_KEY',
  action: 'DELETE',
  summary: 'Destroy private keys: all or none',
  params: v1(z.object({ privateKeyIds: Ids, deleteWithoutExport: WithoutExport })),
  result: { key: 'deletePrivateKeysResult', shape: z.object({ privateKeyIds: IdsOut }) },
  errors: [requireUnfrozen, 'REQUEST_INVALID', 'NOT_FOUND'],
  async execute({ ctx, intent: { privateKeyIds, deleteWithoutExport = false } }) {
    const { organization, store, now } = ctx;
    await requireUnfrozen(store, organization.id, privateKeyIds);
    for (const id of new Set(privateKeyIds)) {
      const key = await store.privateKeys.get(organization.id, id);
      if (key === undefined) throw new ApiError('NOT_FOUND', `private key not found: parameters.privateKeyIds names ${id}`);
      if (!key.exported && !deleteWithoutExport)
        throw invalid(
          'parameters.privateKeyIds',
          `private key has not been exported: ${id}. Export it, or send deleteWithoutExport: true`,
        );
      await store.signers.destroy(organization.id, id);
      await store.tags.dropMember(organization.id, id, now);
      await store.privateKeys.remove(organization.id, id);
    }
    return { privateKeyIds };
  },
});
