import { createECDH, createHash, createPrivateKey, sign } from 'node:crypto';
import { Manifest, manifestHash } from '../../../src/model/tvc/manifest.ts';
import { type Client, resultOf } from '../../support/client.ts';

/** Operators of verifiable apps with their keys, and what they do, from outside the service. */

const half = () => {
  const pair = createECDH('prime256v1');
  const point = pair.generateKeys();
  // OpenSSL leaves out leading zeros.
  return { secretKey: Buffer.from(pair.getPrivateKey('hex').padStart(64, '0'), 'hex'), point };
};

export type Operator = {
  name: string;
  publicKey: string;
  /** Signs a manifest's hash: r ‖ s in hex, over its SHA-256. */
  sign(hash: Uint8Array): string;
  /** The same by the key that is meant for encryption. */
  signWithOther(hash: Uint8Array): string;
};

const signer = (secretKey: Uint8Array, point: Buffer) => {
  const [d, x, y] = [secretKey, point.subarray(1, 33), point.subarray(33)].map((part) => Buffer.from(part).toString('base64url'));
  const key = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', d, x, y } as never, format: 'jwk' });
  return (hash: Uint8Array) => sign('sha256', hash, { key, dsaEncoding: 'ieee-p1363' }).toString('hex');
};

let made = 0;

export function newOperator(name = `operator ${++made}`): Operator {
  const [encrypt, own] = [half(), half()];
  return {
    name,
    publicKey: Buffer.concat([encrypt.point, own.point]).toString('hex'),
    sign: signer(own.secretKey, own.point),
    signWithOther: signer(encrypt.secretKey, encrypt.point),
  };
}

export const newQuorumKey = (): string => newOperator().publicKey;

const named = ({ name, publicKey }: Operator) => ({ name, publicKey });

export const setOf = (operators: readonly Operator[], threshold: number, name = 'set') => ({
  name,
  newOperators: operators.map(named),
  threshold,
});

export const appOf = (operators: readonly Operator[], threshold = 1, more: object = {}) => ({
  name: 'app',
  quorumPublicKey: newQuorumKey(),
  manifestSetParams: setOf(operators, threshold),
  shareSetParams: setOf([newOperator(), newOperator()], 2, 'shares'),
  ...more,
});

export async function newApp(client: Client, operators: readonly Operator[], threshold = 1, more: object = {}) {
  return resultOf(await client.submit('CREATE_TVC_APP', appOf(operators, threshold, more)), 'createTvcAppResult') as {
    appId: string;
    manifestSetId: string;
    manifestSetOperatorIds: string[];
    shareSetId: string;
    shareSetOperatorIds: string[];
  };
}

export const deploymentOf = (appId: string, more: object = {}) => ({
  appId,
  qosVersion: 'countersign-1',
  pivotContainerImageUrl: 'registry.example.com/app:1',
  pivotPath: '/app',
  pivotArgs: ['--port', '3000'],
  expectedPivotDigest: createHash('sha256').update('executable').digest('hex'),
  healthCheckType: 'TVC_HEALTH_CHECK_TYPE_HTTP',
  healthCheckPort: 3001,
  publicIngressPort: 3000,
  ...more,
});

export type Deployed = { deploymentId: string; manifestId: string };

export async function newDeployment(client: Client, appId: string, more: object = {}): Promise<Deployed> {
  return resultOf(await client.submit('CREATE_TVC_DEPLOYMENT', deploymentOf(appId, more)), 'createTvcDeploymentResult');
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
export const deploymentSeen = async (client: Client, deploymentId: string): Promise<any> =>
  (await client.query('get_tvc_deployment', { deploymentId })).body.tvcDeployment;

export async function manifestSeen(client: Client, deploymentId: string): Promise<Manifest> {
  const { manifest } = (await deploymentSeen(client, deploymentId)).manifest;
  return Manifest.parse(JSON.parse(Buffer.from(manifest, 'base64').toString()));
}

export const hashSeen = async (client: Client, { deploymentId }: Deployed): Promise<Buffer> =>
  manifestHash(await manifestSeen(client, deploymentId));

/** Parameters by which these operators approve a deployment. */
export async function approvalsOf(
  client: Client,
  deployed: Deployed,
  by: readonly (readonly [id: string, operator: Operator])[],
) {
  const hash = await hashSeen(client, deployed);
  return {
    manifestId: deployed.manifestId,
    approvals: by.map(([operatorId, one]) => ({ operatorId, signature: one.sign(hash) })),
  };
}

/** An app with one operator, and an approved deployment of it, which is live. */
export async function newLiveApp(client: Client, more: object = {}) {
  const operator = newOperator();
  const app = await newApp(client, [operator], 1, more);
  const operatorId = app.manifestSetOperatorIds[0]!;
  const approve = async (deployed: Deployed): Promise<void> => {
    const parameters = await approvalsOf(client, deployed, [[operatorId, operator]]);
    resultOf(await client.submit('CREATE_TVC_MANIFEST_APPROVALS', parameters), 'createTvcManifestApprovalsResult');
  };
  const live = await newDeployment(client, app.appId);
  await approve(live);
  return { ...app, operator, operatorId, approve, live };
}

export const liveOf = async (client: Client, tvcAppId: string): Promise<string | undefined> =>
  (await client.query('get_tvc_app', { tvcAppId })).body.tvcApp.liveDeploymentId;
