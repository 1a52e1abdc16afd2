import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { p256 } from '@noble/curves/nist.js';
import { openQuorumBytes, sealQuorumEnvelope } from '../../../src/crypto/quorum-envelope.ts';
import { quorumKeys, quorumPublicKey } from '../../../src/crypto/quorum-key.ts';
import { polynomialsOf, shareAt } from '../../../src/crypto/shamir.ts';
import { Manifest, manifestHash } from '../../../src/model/tvc/manifest.ts';
import { LEASE_MS } from '../../../src/runner-api/parts.ts';
import { attest } from '../../../src/runner-api/provisioning.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { newKeys130 } from '../../support/fake-runner.ts';
import { type Instance, sharedInstance } from '../../support/instance.ts';

/** A file's instance that takes runners, and the path of its socket. */
export async function runnersInstance(env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-apps-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const socket = join(folder, 'runners.sock');
  return { instance: await sharedInstance({ APPS_SOCKET: socket, ...env }), socket };
}

const HOUR_MS = 3_600_000;

/** A runner leases the deployment and makes an ephemeral key, past the socket. */
export async function attestedIn({ engine }: Instance, { organizationId, deploymentId }: Place) {
  const { store, clock, ids, log, vault } = engine;
  const parts = { store, clock, ids, log, attestations: vault.attestations };
  const named = { organizationId, deploymentId, runner: ids.next() };
  const now = clock.now();
  const isFree = await store.transaction((tx) => tx.tvcProvisionings.claim(named, named.runner, now, now + LEASE_MS));
  if (!isFree) throw new Error(`deployment ${deploymentId} is not free`);
  const pair = newKeys130();
  const ephemeralPublicKey = pair.publicKey.toString('hex');
  await attest(parts, { ...named, ephemeralPublicKey });
  // No heartbeat follows.
  await store.transaction((tx) => tx.tvcProvisionings.hold(named, named.runner, now + HOUR_MS));
  return { ...pair, ephemeralPublicKey };
}

type Place = Pick<Deployed, 'organizationId' | 'deploymentId'>;

/** An approved deployment that awaits shares of hosted operators. */
export async function awaitingHosted(instance: Instance, client: Client) {
  const hosted = await severalHosted(client, 2);
  const { quorumPublicKey } = await newQuorumKey(client, hosted);
  const deployed = await newDeployment(client, { quorumPublicKey, hosted });
  await deployed.approve();
  const ephemeral = await attestedIn(instance, deployed);
  return { hosted, deployed, ephemeral };
}

/** An approved deployment that awaits shares of operators with keys of their own. */
export async function awaitingOutsiders(instance: Instance, client: Client) {
  const outsiders = ['one', 'two'].map((name) => new Outsider(name));
  const deployed = await newDeployment(client, { quorumPublicKey: outsideQuorumKey(outsiders), outsiders });
  await deployed.approve();
  const ephemeral = await attestedIn(instance, deployed);
  return { outsiders, deployed, ephemeral };
}

export const BASE_PATH = "m/5527107'/0'/0'";

export type Hosted = { walletId: string; operatorId: string; encryptPublicKey: string; signPublicKey: string };

let wallets = 0;

/** An operator whose keys the service has. */
export async function newHosted(client: Client, more: object = {}): Promise<Hosted> {
  const name = `operator ${++wallets} ${randomBytes(4).toString('hex')}`;
  const parameters = { walletName: name, path: BASE_PATH, operatorName: name, ...more };
  return resultOf(await client.submit('CREATE_TVC_OPERATOR', parameters), 'createTvcOperatorResult');
}

export const severalHosted = async (client: Client, count: number): Promise<Hosted[]> => {
  const all: Hosted[] = [];
  for (let i = 0; i < count; i++) all.push(await newHosted(client));
  return all;
};

export const newQuorumKey = async (
  client: Client,
  operators: readonly Hosted[],
  threshold = 2,
): Promise<{ quorumKeyId: string; quorumPublicKey: string; shareIds: string[] }> => {
  const operatorEncryptKeys = operators.map(({ encryptPublicKey }) => encryptPublicKey);
  const answer = await client.submit('CREATE_TVC_QUORUM_KEY', { threshold, operatorEncryptKeys });
  return resultOf(answer, 'createTvcQuorumKeyResult');
};

/** An operator who has the keys, with a share of a quorum key if one was given. */
export class Outsider {
  readonly name: string;
  readonly pair = newKeys130();
  share: Buffer | undefined;
  operatorId = '';

  constructor(name: string) {
    this.name = name;
  }

  get publicKey(): string {
    return this.pair.publicKey.toString('hex');
  }

  sign(hash: Uint8Array): string {
    return Buffer.from(p256.sign(hash, this.pair.keys.sign)).toString('hex');
  }

  /** Parameters by which the operator posts its share. */
  posting(deployed: Deployed, ephemeralPublicKeyHex: string, share = this.share!) {
    const sealed = sealQuorumEnvelope(Buffer.from(ephemeralPublicKeyHex.slice(0, 130), 'hex'), share, randomBytes);
    const bundle = {
      operatorId: this.operatorId,
      reEncryptedShareHex: sealed.toString('hex'),
      signature: this.sign(deployed.hash),
    };
    return { deploymentId: deployed.deploymentId, ephemeralPublicKeyHex, shareApprovalBundle: bundle };
  }

  /** Opens what is sealed to the operator. */
  open(sealed: Buffer): Buffer {
    return openQuorumBytes(sealed, this.pair.keys.encrypt, this.pair.publicKey.subarray(0, 65));
  }
}

/** A quorum key that was made elsewhere. Its shares are given to the operators. */
export function outsideQuorumKey(operators: readonly Outsider[], threshold = 2): string {
  const seed = randomBytes(32);
  const polynomials = polynomialsOf(seed, threshold, randomBytes);
  for (const [i, operator] of operators.entries()) operator.share = shareAt(polynomials, i + 1);
  return quorumPublicKey(quorumKeys(seed)!).toString('hex');
}

export type Deployed = {
  organizationId: string;
  appId: string;
  deploymentId: string;
  manifestId: string;
  hash: Buffer;
  manifest: Buffer;
};

type Wanted = { quorumPublicKey: string; hosted?: readonly Hosted[]; outsiders?: readonly Outsider[]; debugMode?: boolean };

/** An app, and a deployment of it. `approve` makes it ready for runners; it needs two approvals. */
export async function newDeployment(client: Client, { quorumPublicKey, hosted = [], outsiders = [], debugMode = false }: Wanted) {
  const approvers = [new Outsider('approver 1'), new Outsider('approver 2')];
  const named = (some: readonly Outsider[]) => some.map(({ name, publicKey }) => ({ name, publicKey }));
  const shareSetParams = {
    name: 'shares',
    threshold: 2,
    newOperators: named(outsiders),
    existingOperatorIds: hosted.map(({ operatorId }) => operatorId),
  };
  const app = resultOf(
    await client.submit('CREATE_TVC_APP', {
      name: 'app',
      quorumPublicKey,
      manifestSetParams: { name: 'manifests', threshold: 2, newOperators: named(approvers) },
      shareSetParams,
      enableDebugModeDeployments: debugMode,
    }),
    'createTvcAppResult',
  );
  for (const [i, one] of outsiders.entries()) one.operatorId = app.shareSetOperatorIds[hosted.length + i];
  for (const [i, one] of approvers.entries()) one.operatorId = app.manifestSetOperatorIds[i];
  const made = await deploymentOf(client, app.appId, approvers, debugMode);
  return { ...made, again: () => deploymentOf(client, app.appId, approvers, debugMode) };
}

async function deploymentOf(client: Client, appId: string, approvers: readonly Outsider[], debugMode: boolean) {
  const { deploymentId, manifestId } = resultOf(
    await client.submit('CREATE_TVC_DEPLOYMENT', {
      appId,
      qosVersion: 'countersign-1',
      pivotContainerImageUrl: 'registry.example.com/app:1',
      pivotPath: '/app',
      pivotArgs: [],
      expectedPivotDigest: createHash('sha256').update('executable').digest('hex'),
      healthCheckType: 'TVC_HEALTH_CHECK_TYPE_HTTP',
      healthCheckPort: 3001,
      publicIngressPort: 3000,
      ...(debugMode ? { debugMode } : {}),
    }),
    'createTvcDeploymentResult',
  );
  const { tvcDeployment } = (await client.query('get_tvc_deployment', { deploymentId })).body;
  const manifest = Buffer.from(tvcDeployment.manifest.manifest, 'base64');
  const hash = manifestHash(Manifest.parse(JSON.parse(manifest.toString())));
  const approve = async (by: readonly Outsider[]): Promise<void> => {
    const approvals = by.map((one) => ({ operatorId: one.operatorId, signature: one.sign(hash) }));
    resultOf(await client.submit('CREATE_TVC_MANIFEST_APPROVALS', { manifestId, approvals }), 'createTvcManifestApprovalsResult');
  };
  const deployed: Deployed = { organizationId: client.organizationId, appId, deploymentId, manifestId, hash, manifest };
  return { ...deployed, approvers, approve: (by = approvers) => approve(by) };
}

/** Parameters by which a hosted operator hands over its share, from what a client has read. */
export async function reEncrypting(client: Client, deployed: Deployed, operator: Hosted, more: object = {}) {
  const details = await client.query('get_tvc_deployment_provisioning_details', { deploymentId: deployed.deploymentId });
  const { namespace } = JSON.parse(deployed.manifest.toString());
  return {
    attestationDocB64: details.body.attestationDocument,
    manifestB64: deployed.manifest.toString('base64'),
    operatorEncryptKey: operator.encryptPublicKey,
    operatorSignKey: operator.signPublicKey,
    deploymentId: deployed.deploymentId,
    appQuorumKey: namespace.quorumKey,
    ...more,
  };
}
