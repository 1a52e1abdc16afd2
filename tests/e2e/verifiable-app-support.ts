import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { TurnkeyClient } from '@turnkey/http';
import { Turnkey } from '@turnkey/sdk-server';
import { openAttestation } from '../../src/crypto/attestation.ts';
import { combineShares } from '../../src/crypto/shamir.ts';
import { Manifest, manifestHash } from '../../src/model/tvc/manifest.ts';
import { type Deployed, Outsider, outsideQuorumKey } from '../activities/quorum-keys/support.ts';
import { compile } from '../runner/sandbox/support.ts';
import { askApp, type RunnerProcess } from '../support/apps-runner.ts';

type Credentials = { organizationId: string; apiPublicKey: string; apiPrivateKey: string };

/** Each knows operations that the other lacks. */
export function publishedClients(url: string, { organizationId, apiPublicKey, apiPrivateKey }: Credentials) {
  const server = new Turnkey({ apiBaseUrl: url, apiPublicKey, apiPrivateKey, defaultOrganizationId: organizationId }).apiClient();
  const http = new TurnkeyClient({ baseUrl: url }, new ApiKeyStamper({ apiPublicKey, apiPrivateKey }));
  return { organizationId, url, server, http };
}

/** A folder of local images. `example` has the example app as `/app`, and `changed` has it with one other byte. */
export function exampleImages(): { folder: string; digest: string; hostileDigest: string } {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-images-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const built = compile('example', folder);
  for (const name of ['example-image', 'hostile-image', 'changed']) mkdirSync(join(folder, name));
  copyFileSync(built, join(folder, 'example-image', 'app'));
  const bytes = readFileSync(built);
  const digest = createHash('sha256').update(bytes).digest('hex');
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(join(folder, 'changed', 'app'), bytes);
  const hostile = compile('hostile', folder);
  copyFileSync(hostile, join(folder, 'hostile-image', 'app'));
  return { folder, digest, hostileDigest: createHash('sha256').update(readFileSync(hostile)).digest('hex') };
}

export type Wanted = { image?: string; digest: string; app?: object; deployment?: object };

type Published = ReturnType<typeof publishedClients>;

type Seen = { provisioningState: string; problem?: string };

/** An app of three keepers of shares, of whom two are needed, and of two approvers. */
export async function newDeployment(
  { organizationId, url, server: client, http }: Published,
  { image = 'local:example-image', digest, ...more }: Wanted,
) {
  const keepers = ['Keeper 1', 'Keeper 2', 'Keeper 3'].map((name) => new Outsider(name)) as [Outsider, Outsider, Outsider];
  const approvers = ['Approver 1', 'Approver 2'].map((name) => new Outsider(name));
  const quorumPublicKey = outsideQuorumKey(keepers);
  const setOf = (name: string, some: readonly Outsider[]) => ({
    name,
    threshold: 2,
    newOperators: some.map((one) => ({ name: one.name, publicKey: one.publicKey })),
  });
  const app = await client.createTvcApp({
    name: 'Example',
    quorumPublicKey,
    manifestSetParams: setOf('Approvers', approvers),
    shareSetParams: setOf('Keepers', keepers),
    ...more.app,
  });
  for (const [i, one] of keepers.entries()) one.operatorId = app.shareSetOperatorIds[i]!;
  for (const [i, one] of approvers.entries()) one.operatorId = app.manifestSetOperatorIds[i]!;
  const { deploymentId, manifestId } = await client.createTvcDeployment({
    appId: app.appId,
    qosVersion: 'countersign-1',
    pivotContainerImageUrl: image,
    pivotPath: '/app',
    pivotArgs: ['3000'],
    expectedPivotDigest: digest,
    healthCheckType: 'TVC_HEALTH_CHECK_TYPE_HTTP',
    healthCheckPort: 3000,
    publicIngressPort: 3000,
    ...more.deployment,
  } as never);
  const manifest = Buffer.from((await client.getTvcDeployment({ deploymentId })).tvcDeployment.manifest.manifest, 'base64');
  const hash = manifestHash(Manifest.parse(JSON.parse(manifest.toString())));
  const deployed: Deployed = { organizationId, appId: app.appId, deploymentId, manifestId, hash, manifest };

  const status = async () => {
    const { appStatus } = await client.getAppStatus({ appId: app.appId });
    const one = appStatus.deployments.find((each) => each.deploymentId === deploymentId)!;
    const { provisioningState, readyReplicas, problem = '' } = one as typeof one & Seen;
    return { state: provisioningState.replace('PROVISIONING_STATE_', ''), ready: readyReplicas, problem };
  };
  return {
    ...deployed,
    keepers,
    approvers,
    quorumPublicKey,
    status,
    async approve(by = approvers) {
      const approvals = by.map((one) => ({ operatorId: one.operatorId, signature: one.sign(hash) }));
      await client.createTvcManifestApprovals({ manifestId, approvals });
    },
    /** Waits until the status is as wanted. */
    async until(is: (now: Awaited<ReturnType<typeof status>>) => boolean, attempts = 600) {
      for (let attempt = 0; ; attempt += 1) {
        const now = await status();
        if (is(now)) return now;
        assert.ok(attempt < attempts, `the deployment stays ${JSON.stringify(now)}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    /** The ephemeral key, from a document whose signature is verified, as an operator does. */
    async ephemeralKey(): Promise<string> {
      const { attestationDocument } = await http.getTvcDeploymentProvisioningDetails({ organizationId, deploymentId });
      const discovery = await (await fetch(`${url}/public/v1/discovery/keys`)).json();
      const signer = discovery.keys.find(({ name }: { name: string }) => name === 'attestation-signer').publicKey;
      const document = openAttestation(Buffer.from(attestationDocument!, 'base64'), Buffer.from(signer, 'hex'));
      assert.deepEqual(document?.userData, hash);
      return document!.publicKey.toString('hex');
    },
    /** Its lines, once this one is among them. */
    async debugLog(wanted: string): Promise<string[]> {
      for (let attempt = 0; ; attempt += 1) {
        const { entries } = await client.getTvcDeploymentDebugLogs({ deploymentId });
        const lines = entries.map(({ line }) => line!.content!);
        if (lines.includes(wanted)) return lines;
        assert.ok(attempt < 600, `the log stays ${JSON.stringify(lines)}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    get seed(): Buffer {
      return combineShares(keepers.slice(0, 2).map(({ share }) => share!))!;
    },
    /** What the example answers if it has the quorum key. */
    get answer(): object {
      const { seed } = this;
      return { quorumKeySha256: createHash('sha256').update(seed).digest('hex') };
    },
    /** Each posts its share, sealed to the present ephemeral key. */
    async post(by: readonly Outsider[], share?: Buffer, ephemeralKey?: string) {
      const key = ephemeralKey ?? (await this.ephemeralKey());
      for (const one of by) {
        await http.postTvcQuorumKeyShare({
          type: 'ACTIVITY_TYPE_POST_TVC_QUORUM_KEY_SHARE',
          timestampMs: String(Date.now()),
          organizationId,
          parameters: one.posting(deployed, key, share ?? one.share),
        });
      }
    },
  };
}

/** The app answers by its host name, and has its quorum key. */
export async function answers(runner: RunnerProcess, { appId, answer }: { appId: string; answer: object }): Promise<void> {
  const { status, body } = await askApp(runner, appId);
  assert.deepEqual([status, JSON.parse(body)], [200, answer]);
}
