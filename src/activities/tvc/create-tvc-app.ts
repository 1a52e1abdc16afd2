import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { requireRoom } from '../../domain/limits/limits.ts';
import { checkSetParams, operatorSetFor, operatorSetOf, twoKeys } from '../../domain/tvc/operator-sets.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { IdsOut } from '../../wire/exports.ts';
import { CreateTvcAppParams } from '../../wire/tvc.ts';

const SETS = ['manifestSet', 'shareSet'] as const;
type SetName = (typeof SETS)[number];

/** One operator alone never holds a quorum key. */
function requireThreshold(threshold: number, set: SetName, field: string): void {
  if (set === 'shareSet' && threshold < 2)
    throw invalid(field, 'must have a threshold of at least 2, because it keeps shares of the key');
}

export const createTvcApp = activity({
  kind: 'CREATE_TVC_APP',
  resource: 'TVC_APP',
  action: 'CREATE',
  summary: 'Create a verifiable app with the operators who approve its manifests, and those who keep shares of its key',
  params: v1(CreateTvcAppParams),
  policyParams: {
    app_name: [STRING, ({ name }) => name],
    quorum_public_key: [STRING, ({ quorumPublicKey }) => quorumPublicKey],
  },
  result: {
    key: 'createTvcAppResult',
    shape: z.object({
      appId: IdOut,
      manifestSetId: IdOut,
      manifestSetOperatorIds: IdsOut,
      manifestSetThreshold: z.int(),
      shareSetId: IdOut,
      shareSetOperatorIds: IdsOut,
      shareSetThreshold: z.int(),
    }),
  },
  errors: ['REQUEST_INVALID', twoKeys, checkSetParams, operatorSetFor, operatorSetOf, requireRoom],
  check({ intent }) {
    twoKeys(intent.quorumPublicKey, 'parameters.quorumPublicKey');
    for (const set of SETS) {
      const params = intent[`${set}Params`];
      if ((intent[`${set}Id`] === undefined) === (params === undefined))
        throw invalid(`parameters.${set}Id`, `must be given, or ${set}Params in its place`);
      if (params === undefined) continue;
      checkSetParams(params, `parameters.${set}Params`);
      requireThreshold(params.threshold, set, `parameters.${set}Params`);
    }
  },
  async execute({ ctx, intent }) {
    const { organization, store, ids, limits, now } = ctx;
    const have = await store.organizations.count(organization.id, 'tvcAppCount');
    requireRoom(have, 1, limits.tvcApps, 'verifiable apps', 'LIMIT_TVC_APPS');
    const setFor = async (set: SetName) => {
      const [id, params] = [intent[`${set}Id`], intent[`${set}Params`]];
      if (params !== undefined) return operatorSetFor(ctx, params, `parameters.${set}Params`);
      const known = await operatorSetOf(store, organization.id, id!, `parameters.${set}Id`);
      requireThreshold(known.threshold, set, `parameters.${set}Id`);
      return known;
    };
    const manifestSet = await setFor('manifestSet');
    const shareSet = await setFor('shareSet');
    const key = await store.tvcQuorumKeys.byPublicKey(organization.id, intent.quorumPublicKey);
    if (key !== undefined && key.threshold !== shareSet.threshold)
      throw invalid(
        'parameters.quorumPublicKey',
        `does not fit: the threshold of the share set is ${shareSet.threshold}, and that of the key is ${key.threshold}`,
      );
    const app = {
      organizationId: organization.id,
      id: ids.next(),
      name: intent.name,
      quorumPublicKey: intent.quorumPublicKey,
      manifestSetId: manifestSet.id,
      shareSetId: shareSet.id,
      enableEgress: intent.enableEgress ?? false,
      enableDebugModeDeployments: intent.enableDebugModeDeployments ?? false,
      liveDeploymentId: null,
      deleted: false,
      createdAt: now,
      updatedAt: now,
    };
    await store.tvcApps.insert(app);
    return {
      appId: app.id,
      manifestSetId: manifestSet.id,
      manifestSetOperatorIds: [...manifestSet.operatorIds],
      manifestSetThreshold: manifestSet.threshold,
      shareSetId: shareSet.id,
      shareSetOperatorIds: [...shareSet.operatorIds],
      shareSetThreshold: shareSet.threshold,
    };
  },
});
