/** A verifiable app from its operators to its live deployment, by the published clients. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { TurnkeyClient } from '@turnkey/http';
import { Turnkey } from '@turnkey/sdk-server';
import { Manifest, manifestHash } from '../../src/model/tvc/manifest.ts';
import { appOf, deploymentOf, newOperator } from '../activities/tvc/support.ts';
import { sharedInstance } from '../support/instance.ts';

const { credentials, url } = await sharedInstance();
const { organizationId, apiPublicKey, apiPrivateKey } = credentials;
const server = new Turnkey({ apiBaseUrl: url, apiPublicKey, apiPrivateKey, defaultOrganizationId: organizationId }).apiClient();
const http = new TurnkeyClient({ baseUrl: url }, new ApiKeyStamper({ apiPublicKey, apiPrivateKey }));

test('@turnkey/sdk-server makes an app, approves and replaces its deployment, and @turnkey/http reads them', async () => {
  const operator = newOperator();
  const wanted = appOf([operator], 1, { enableDebugModeDeployments: true });
  const { appId, manifestSetOperatorIds } = await server.createTvcApp(wanted);
  const { latestVersion: qosVersion } = await server.getTvcQosVersions({});
  const deploy = () => server.createTvcDeployment(deploymentOf(appId, { qosVersion }) as never);
  const approve = async (deploymentId: string) => {
    const { manifest } = (await server.getTvcDeployment({ deploymentId })).tvcDeployment;
    const hash = manifestHash(Manifest.parse(JSON.parse(Buffer.from(manifest.manifest, 'base64').toString())));
    const approvals = [{ operatorId: manifestSetOperatorIds[0]!, signature: operator.sign(hash) }];
    return server.createTvcManifestApprovals({ manifestId: manifest.id, approvals });
  };

  const first = await deploy();
  assert.equal((await approve(first.deploymentId)).approvalIds.length, 1);
  assert.equal((await server.getTvcApp({ tvcAppId: appId })).tvcApp.liveDeploymentId, first.deploymentId);
  const second = await deploy();
  await approve(second.deploymentId);
  await server.updateTvcAppLiveDeployment({ deploymentId: second.deploymentId });
  await server.deleteTvcDeployment({ deploymentId: first.deploymentId });
  await server.restoreTvcDeployment({ deploymentId: first.deploymentId });

  const ours = { organizationId };
  const app = (await http.getTvcApps(ours)).tvcApps.find(({ id }) => id === appId)!;
  assert.deepEqual([app.liveDeploymentId, app.enableDebugModeDeployments], [second.deploymentId, true]);
  const { tvcDeployments } = await http.getTvcAppDeployments({ ...ours, appId });
  assert.deepEqual(
    tvcDeployments.map(({ id, delete: gone, manifestApprovals }) => [
      id,
      gone,
      manifestApprovals.map(({ operator }) => operator.id),
    ]),
    [first, second].map(({ deploymentId }) => [deploymentId, false, manifestSetOperatorIds]),
  );
  const { appStatus } = await http.getAppStatus({ ...ours, appId });
  assert.equal(appStatus.targetedDeploymentId, second.deploymentId);
  assert.ok((await http.getTvcOperators(ours)).tvcOperators.some(({ publicKey }) => publicKey === operator.publicKey));
  await server.deleteTvcAppAndDeployments({ appId });
  assert.equal((await server.getTvcApp({ tvcAppId: appId })).tvcApp.liveDeploymentId, undefined);
});
