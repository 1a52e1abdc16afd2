import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { requireRoom } from '../../domain/limits/limits.ts';
import { keptTvcAppOf } from '../../domain/tvc/apps.ts';
import { setsOf } from '../../domain/tvc/views.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { QOS_VERSIONS } from '../../model/tvc/deployment.ts';
import { manifestHash, manifestOf } from '../../model/tvc/manifest.ts';
import { IdOut } from '../../wire/common.ts';
import { CreateTvcDeploymentParams } from '../../wire/tvc.ts';

export const createTvcDeployment = activity({
  kind: 'CREATE_TVC_DEPLOYMENT',
  resource: 'TVC_DEPLOYMENT',
  action: 'CREATE',
  summary: 'Create a deployment of a verifiable app, whose manifest the operators then approve',
  params: v1(CreateTvcDeploymentParams),
  policyParams: {
    app_id: [STRING, ({ appId }) => appId],
    pivot_container_image_url: [STRING, ({ pivotContainerImageUrl }) => pivotContainerImageUrl],
    expected_pivot_digest: [STRING, ({ expectedPivotDigest }) => expectedPivotDigest],
  },
  result: { key: 'createTvcDeploymentResult', shape: z.object({ deploymentId: IdOut, manifestId: IdOut }) },
  errors: ['REQUEST_INVALID', keptTvcAppOf, requireRoom],
  check({ intent: { qosVersion } }) {
    if (!QOS_VERSIONS.some((one) => one === qosVersion))
      throw invalid('parameters.qosVersion', `must be one of ${QOS_VERSIONS.join(', ')} (get_tvc_qos_versions)`);
  },
  async execute({ ctx: { organization, store, ids, limits, now }, intent }) {
    const { appId, debugMode = false, healthCheckPort, publicIngressPort, qosVersion } = intent;
    const org = organization.id;
    const app = await keptTvcAppOf(store, org, appId, 'parameters.appId');
    if (debugMode && !app.enableDebugModeDeployments)
      throw invalid('parameters.debugMode', 'the app was created without enableDebugModeDeployments');
    const have = await store.organizations.count(org, 'tvcDeploymentCount');
    requireRoom(have, 1, limits.tvcDeployments, 'deployments of verifiable apps', 'LIMIT_TVC_DEPLOYMENTS');
    let nonce = intent.nonce ?? Math.floor(now / 1000);
    while (await store.tvcDeployments.hasNonce(org, appId, nonce)) {
      if (intent.nonce !== undefined)
        throw invalid('parameters.nonce', 'must differ from that of each other deployment of the app');
      nonce++;
    }
    const manifest = manifestOf({
      app,
      ...(await setsOf(store, app)),
      nonce,
      qosVersion,
      pivotDigest: intent.expectedPivotDigest,
      pivotArgs: intent.pivotArgs,
      debugMode,
      ports: [publicIngressPort, healthCheckPort],
    });
    const deployment = {
      organizationId: org,
      id: ids.next(),
      appId,
      manifestId: ids.next(),
      manifest: JSON.stringify(manifest),
      manifestHash: manifestHash(manifest).toString('hex'),
      nonce,
      qosVersion,
      containerUrl: intent.pivotContainerImageUrl,
      encryptedPullSecret: intent.pivotContainerEncryptedPullSecret ?? null,
      pivotPath: intent.pivotPath,
      pivotArgs: intent.pivotArgs,
      debugMode,
      healthCheckType: intent.healthCheckType,
      healthCheckPort,
      publicIngressPort,
      instanceSize: { cpus: intent.instanceSizeCpus, ram: intent.instanceSizeRam },
      approvedAt: null,
      deleted: false,
      createdAt: now,
      updatedAt: now,
    };
    await store.tvcDeployments.insert(deployment);
    return { deploymentId: deployment.id, manifestId: deployment.manifestId };
  },
});
