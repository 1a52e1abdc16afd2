import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { verifyP256 } from '../../crypto/p256.ts';
import { isQuorumEnvelope } from '../../crypto/quorum-envelope.ts';
import { requireKept, tvcAppOf, tvcDeploymentOf } from '../../domain/tvc/apps.ts';
import { postShare } from '../../domain/tvc/provisioning.ts';
import { setsOf } from '../../domain/tvc/views.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { PostTvcQuorumKeyShareParams } from '../../wire/quorum-keys.ts';

const FIELD = 'parameters.deploymentId';
const BUNDLE = 'parameters.shareApprovalBundle';

export const postTvcQuorumKeyShare = activity({
  kind: 'POST_TVC_QUORUM_KEY_SHARE',
  resource: 'TVC_DEPLOYMENT',
  action: 'UPDATE',
  summary: 'Hand an operator’s share of the quorum key, sealed to the ephemeral key of a deployment, to its runner',
  params: v1(PostTvcQuorumKeyShareParams),
  policyParams: {
    deployment_id: [STRING, ({ deploymentId }) => deploymentId],
    ephemeral_public_key: [STRING, ({ ephemeralPublicKeyHex }) => ephemeralPublicKeyHex],
    operator_id: [STRING, ({ shareApprovalBundle }) => shareApprovalBundle.operatorId],
  },
  result: { key: 'postTvcQuorumKeyShareResult', shape: z.object({ provisioningShareId: IdOut }) },
  errors: ['REQUEST_INVALID', postShare, requireKept, tvcAppOf, tvcDeploymentOf],
  check({ intent: { shareApprovalBundle } }) {
    if (!isQuorumEnvelope(Buffer.from(shareApprovalBundle.reEncryptedShareHex, 'hex')))
      throw invalid(`${BUNDLE}.reEncryptedShareHex`, 'is not an envelope: nonce, public key, length and ciphertext');
  },
  /** Manifests and sets never change, so the signature is verified before the transaction. */
  async prepare({ ctx: { organization, read }, intent: { deploymentId, shareApprovalBundle } }) {
    const { operatorId, signature } = shareApprovalBundle;
    const deployment = await tvcDeploymentOf(read, organization.id, deploymentId, FIELD);
    const app = await tvcAppOf(read, organization.id, deployment.appId, 'the deployment');
    const operator = (await setsOf(read, app)).shareSet.operators.find(({ id }) => id === operatorId);
    if (operator === undefined) throw invalid(`${BUNDLE}.operatorId`, `is not in the share set of the app: ${operatorId}`);
    const hash = Buffer.from(deployment.manifestHash, 'hex');
    if (!verifyP256(Buffer.from(operator.signPublicKey, 'hex'), hash, Buffer.from(signature, 'hex')))
      throw invalid(`${BUNDLE}.signature`, `is not by operator ${operatorId} over the hash of the deployment’s manifest`);
  },
  async execute({ ctx, intent: { deploymentId, ephemeralPublicKeyHex: ephemeralKey, shareApprovalBundle } }) {
    const { operatorId, reEncryptedShareHex, signature } = shareApprovalBundle;
    const deployment = await tvcDeploymentOf(ctx.store, ctx.organization.id, deploymentId, FIELD);
    requireKept(deployment, FIELD);
    const posted = { deploymentId, ephemeralKey, operatorId, sealed: Buffer.from(reEncryptedShareHex, 'hex'), signature };
    const fields = { key: 'parameters.ephemeralPublicKeyHex', operator: `${BUNDLE}.operatorId` };
    return postShare(ctx, deployment, posted, fields);
  },
});
