import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { requireKept, tvcAppOf, tvcDeploymentOf } from '../../domain/tvc/apps.ts';
import { attestedEphemeralKey, hostedKeys, sealedShareOf } from '../../domain/tvc/hosted-shares.ts';
import { postShare } from '../../domain/tvc/provisioning.ts';
import { setsOf } from '../../domain/tvc/views.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { ReEncryptTvcQuorumKeyShareParams } from '../../wire/quorum-keys.ts';

const FIELD = 'parameters.deploymentId';
const DOCUMENT = 'parameters.attestationDocB64';
const OPERATOR = 'parameters.operatorEncryptKey';

export const reEncryptTvcQuorumKeyShare = activity({
  kind: 'RE_ENCRYPT_TVC_QUORUM_KEY_SHARE',
  resource: 'TVC_QUORUM_KEY',
  action: 'ENCRYPT',
  summary: 'Seal the share of a hosted operator to the ephemeral key of a deployment, and hand it to its runner',
  custody: 'quorum',
  params: v1(ReEncryptTvcQuorumKeyShareParams),
  policyParams: {
    deployment_id: [STRING, ({ deploymentId }) => deploymentId],
    operator_encrypt_key: [STRING, ({ operatorEncryptKey }) => operatorEncryptKey],
    operator_sign_key: [STRING, ({ operatorSignKey }) => operatorSignKey],
    app_quorum_key: [STRING, ({ appQuorumKey }) => appQuorumKey],
  },
  result: { key: 'reEncryptTvcQuorumKeyShareResult', shape: z.object({ provisioningShareId: IdOut }) },
  errors: ['REQUEST_INVALID', attestedEphemeralKey, hostedKeys, postShare, requireKept, sealedShareOf, tvcAppOf, tvcDeploymentOf],
  async prepare({ ctx: { organization, read, vault, now }, intent }) {
    const org = organization.id;
    const deployment = await tvcDeploymentOf(read, org, intent.deploymentId, FIELD);
    requireKept(deployment, FIELD);
    if (!Buffer.from(intent.manifestB64, 'base64').equals(Buffer.from(deployment.manifest)))
      throw invalid('parameters.manifestB64', 'is not the manifest of the deployment');
    const document = vault.openAttestation(Buffer.from(intent.attestationDocB64, 'base64'));
    const ephemeralKey = await attestedEphemeralKey(read, deployment, document, { now, field: DOCUMENT });
    const app = await tvcAppOf(read, org, deployment.appId, 'the deployment');
    if (intent.appQuorumKey !== app.quorumPublicKey) throw invalid('parameters.appQuorumKey', 'is not the quorum key of the app');
    const { shareSet } = await setsOf(read, app);
    const operator = shareSet.operators.find(
      (one) => one.encryptPublicKey === intent.operatorEncryptKey && one.signPublicKey === intent.operatorSignKey,
    );
    if (operator === undefined) throw invalid(OPERATOR, 'is with operatorSignKey no operator in the share set of the app');
    const share = await sealedShareOf(read, org, app.quorumPublicKey, operator.encryptPublicKey);
    const keys = await hostedKeys(read, operator, OPERATOR);
    const made = vault.reEncryptShare(keys, share, {
      ephemeralKey: Buffer.from(ephemeralKey, 'hex').subarray(0, 65),
      manifestHash: Buffer.from(deployment.manifestHash, 'hex'),
    });
    return { ephemeralKey, operatorId: operator.id, sealed: made.share, signature: made.signature.toString('hex') };
  },
  async execute({ ctx, intent: { deploymentId }, prepared }) {
    const deployment = await tvcDeploymentOf(ctx.store, ctx.organization.id, deploymentId, FIELD);
    requireKept(deployment, FIELD);
    return postShare(ctx, deployment, { deploymentId, ...prepared }, { key: DOCUMENT, operator: OPERATOR });
  },
});
