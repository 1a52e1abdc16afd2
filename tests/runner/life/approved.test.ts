/** What the runner verifies itself, against a service that lies. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Manifest, manifestHash } from '../../../src/model/tvc/manifest.ts';
import { approvedManifest } from '../../../src/runner/life/approved.ts';
import type { Leased } from '../../../src/runner/service/service.ts';
import { newOperator } from '../../activities/tvc/support.ts';

const appId = randomUUID();
const [one, two, three, stranger] = ['one', 'two', 'three', 'stranger'].map(newOperator) as [
  ReturnType<typeof newOperator>,
  ReturnType<typeof newOperator>,
  ReturnType<typeof newOperator>,
  ReturnType<typeof newOperator>,
];
const members = [one, two, three].map(({ name, publicKey }) => ({ alias: name, pubKey: publicKey }));
const manifest: Manifest = {
  namespace: { name: `prod/tvc/${appId}`, nonce: 1, quorumKey: one.publicKey },
  pivot: {
    hash: 'ab'.repeat(32),
    restart: 'Always',
    bridgeConfig: [{ type: 'server', port: 3000, host: '0.0.0.0' }],
    debugMode: false,
    args: [],
  },
  manifestSet: { threshold: 2, members },
  shareSet: { threshold: 2, members },
  enclave: { pcr0: '', pcr1: '', pcr2: '', pcr3: '', awsRootCertificate: '', qosCommit: 'countersign-1' },
  patchSet: { threshold: 2, members: [] },
};

type Approval = { by: typeof one; over?: Manifest; as?: typeof one };

function leased(approvals: Approval[], told: Manifest = manifest, more: Partial<Leased> = {}): Leased {
  const manifestSetApprovals = approvals.map(({ by, over = told, as = by }) => ({
    signature: by.sign(manifestHash(over)),
    member: { alias: as.name, pubKey: as.publicKey },
  }));
  return {
    organizationId: randomUUID(),
    deploymentId: randomUUID(),
    appId,
    isLive: true,
    enableEgress: false,
    manifestHash: manifestHash(told).toString('hex'),
    manifestEnvelope: Buffer.from(JSON.stringify({ manifest: told, manifestSetApprovals })).toString('base64'),
    containerUrl: 'local:app',
    pivotPath: '/app',
    healthCheckType: 'TVC_HEALTH_CHECK_TYPE_HTTP',
    healthCheckPort: 3000,
    publicIngressPort: 3000,
    instanceSize: {},
    ...more,
  };
}

const both = [{ by: one }, { by: three }];
/** A member who has a key of its own to encrypt with, and signs with that of `one`. */
const twin = { ...one, name: 'twin', publicKey: two.publicKey.slice(0, 130) + one.publicKey.slice(130) };
const twins = [one, twin].map(({ name, publicKey }) => ({ alias: name, pubKey: publicKey }));

test('a manifest counts with the approvals of its threshold, over the hash that is computed from it', () => {
  assert.deepEqual(approvedManifest(leased(both)).hash, manifestHash(manifest));
  const other = { ...manifest, pivot: { ...manifest.pivot, hash: 'cd'.repeat(32) } };
  const few = /has 1 valid approvals, and needs 2/;
  for (const [approvals, told, why] of [
    [[{ by: one }], manifest, few],
    [[{ by: one }, { by: one }], manifest, few],
    [[{ by: one }, { by: stranger }], manifest, few],
    [[{ by: one }, { by: stranger, as: two }], manifest, few],
    [[{ by: one }, { by: two, over: manifest }], other, few],
    [[{ by: one }, { by: twin }], { ...manifest, manifestSet: { threshold: 2, members: twins } }, few],
    [both, { ...manifest, manifestSet: { threshold: 0, members } }, /valid approvals, and needs 0/],
    [both, { ...manifest, namespace: { ...manifest.namespace, name: `prod/tvc/${randomUUID()}` } }, /is of another app/],
    [both, { ...manifest, enclave: { ...manifest.enclave, qosCommit: 'countersign-2' } }, /is for countersign-2/],
  ] as [Approval[], Manifest, RegExp][])
    assert.throws(() => approvedManifest(leased(approvals, told)), why);
});

test('what the service says beside the manifest must be what the manifest says', () => {
  const cases: [Partial<Leased>, RegExp][] = [
    [{ manifestHash: '00'.repeat(32) }, /another hash than the service says/],
    [{ healthCheckPort: 22 }, /has no port 22/],
    [{ publicIngressPort: 22 }, /has no port 22/],
    [{ manifestEnvelope: Buffer.from('{"manifest":{}}').toString('base64') }, /another form than version 1/],
    [{ manifestEnvelope: Buffer.from('[').toString('base64') }, /is no JSON object/],
  ];
  for (const [more, why] of cases) assert.throws(() => approvedManifest(leased(both, manifest, more)), why);
});
