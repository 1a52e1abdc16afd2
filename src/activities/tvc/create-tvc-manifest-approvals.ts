import { z } from 'zod';
import { ApiError, invalid } from '../../base/errors.ts';
import { verifyP256 } from '../../crypto/p256.ts';
import { requireKept, tvcAppOf, tvcDeploymentOf } from '../../domain/tvc/apps.ts';
import { offer } from '../../domain/tvc/provisioning.ts';
import { setsOf } from '../../domain/tvc/views.ts';
import { activity, listOf, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdsOut } from '../../wire/exports.ts';
import { CreateTvcManifestApprovalsParams } from '../../wire/tvc.ts';

export const createTvcManifestApprovals = activity({
  kind: 'CREATE_TVC_MANIFEST_APPROVALS',
  resource: 'TVC_DEPLOYMENT',
  action: 'UPDATE',
  summary: 'Add operators’ signatures over the hash of a manifest, all or none: at the threshold the deployment is approved',
  params: v1(CreateTvcManifestApprovalsParams),
  policyParams: {
    manifest_id: [STRING, ({ manifestId }) => manifestId],
    operator_ids: [listOf(STRING), ({ approvals }) => approvals.map(({ operatorId }) => operatorId)],
  },
  result: { key: 'createTvcManifestApprovalsResult', shape: z.object({ approvalIds: IdsOut }) },
  errors: ['NOT_FOUND', 'REQUEST_INVALID', requireKept, tvcAppOf, tvcDeploymentOf],
  /** Manifests and sets never change, so signatures are verified before the transaction. */
  async prepare({ ctx: { organization, read }, intent: { manifestId, approvals } }) {
    const deployment = await read.tvcDeployments.byManifest(organization.id, manifestId);
    if (deployment === undefined)
      throw new ApiError('NOT_FOUND', `manifest not found: parameters.manifestId names ${manifestId}`);
    const app = await tvcAppOf(read, organization.id, deployment.appId, 'the deployment');
    const { set, operators } = (await setsOf(read, app)).manifestSet;
    const hash = Buffer.from(deployment.manifestHash, 'hex');
    for (const [i, { operatorId, signature }] of approvals.entries()) {
      const field = `parameters.approvals[${i}]`;
      const operator = operators.find(({ id }) => id === operatorId);
      if (operator === undefined) throw invalid(`${field}.operatorId`, `is not in the manifest set of the app: ${operatorId}`);
      if (!verifyP256(Buffer.from(operator.signPublicKey, 'hex'), hash, Buffer.from(signature, 'hex')))
        throw invalid(`${field}.signature`, `is not by operator ${operatorId} over the hash of this manifest`);
    }
    return { deploymentId: deployment.id, threshold: set.threshold };
  },
  async execute({ ctx: { organization, store, ids, now }, intent: { approvals }, prepared: { deploymentId, threshold } }) {
    const org = organization.id;
    const deployment = await tvcDeploymentOf(store, org, deploymentId, 'the manifest');
    requireKept(deployment, 'parameters.manifestId');
    const approvalIds: string[] = [];
    for (const [i, { operatorId, signature }] of approvals.entries()) {
      const approval = { organizationId: org, id: ids.next(), deploymentId, operatorId, signature: signature.toLowerCase() };
      if (!(await store.tvcManifestApprovals.insert({ ...approval, createdAt: now })))
        throw invalid(`parameters.approvals[${i}].operatorId`, `has already approved this manifest: ${operatorId}`);
      approvalIds.push(approval.id);
    }
    const all = await store.tvcManifestApprovals.ofDeployments(org, [deploymentId]);
    if (deployment.approvedAt !== null || all.length < threshold) return { approvalIds };
    await store.tvcDeployments.replace({ ...deployment, approvedAt: now, updatedAt: now });
    await offer(store, deployment, now);
    const app = await tvcAppOf(store, org, deployment.appId, 'the deployment');
    if (app.liveDeploymentId === null) await store.tvcApps.replace({ ...app, liveDeploymentId: deploymentId, updatedAt: now });
    return { approvalIds };
  },
});
