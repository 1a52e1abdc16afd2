import { isObject, parseJson } from '../../base/json.ts';
import { verifyP256 } from '../../crypto/p256.ts';
import { quorumPublicHalves } from '../../crypto/quorum-key.ts';
import { QOS_VERSIONS } from '../../model/tvc/deployment.ts';
import { Manifest, manifestHash } from '../../model/tvc/manifest.ts';
import type { Leased } from '../service/service.ts';
import { Problem } from './problem.ts';

export type Approved = { manifest: Manifest; hash: Buffer };

type Signed = { publicKey: string; signature: string };

/** r ‖ s over the hash, by the key that the member signs with. */
export function hasSigned({ publicKey, signature }: Signed, hash: Buffer): boolean {
  const halves = quorumPublicHalves(Buffer.from(publicKey, 'hex'));
  return halves !== undefined && verifyP256(halves.sign, hash, Buffer.from(signature, 'hex'));
}

function envelopeOf(base64: string): { manifest: Manifest; approvals: Signed[] } {
  const parsed = parseJson(Buffer.from(base64, 'base64'), { depth: 16, keys: 50_000 });
  if ('error' in parsed || !isObject(parsed.value)) throw new Problem('its manifest is no JSON object');
  const { manifest, manifestSetApprovals } = parsed.value;
  const read = Manifest.safeParse(manifest);
  if (!read.success) throw new Problem('its manifest has another form than version 1');
  const given = Array.isArray(manifestSetApprovals) ? manifestSetApprovals : [];
  const approvals = given.flatMap((one) => {
    const { signature, member } = isObject(one) ? one : {};
    const publicKey = isObject(member) ? member.pubKey : undefined;
    return typeof signature === 'string' && typeof publicKey === 'string' ? [{ publicKey, signature }] : [];
  });
  return { manifest: read.data, approvals };
}

/**
 * The manifest, whose approvals are counted here: the service is not believed. Throws Problem, also for a manifest that does not say what
 * the service says beside it.
 */
export function approvedManifest(leased: Leased): Approved {
  const { manifest, approvals } = envelopeOf(leased.manifestEnvelope);
  const hash = manifestHash(manifest);
  const { namespace, pivot, manifestSet, enclave } = manifest;
  if (hash.toString('hex') !== leased.manifestHash) throw new Problem('its manifest has another hash than the service says');
  if (namespace.name !== `prod/tvc/${leased.appId}`) throw new Problem('its manifest is of another app');
  if (!(QOS_VERSIONS as readonly string[]).includes(enclave.qosCommit))
    throw new Problem(`its manifest is for ${enclave.qosCommit}, and this runner knows ${QOS_VERSIONS.join(', ')}`);
  const ports = pivot.bridgeConfig.filter(({ type }) => type === 'server').map(({ port }) => port);
  for (const port of [leased.healthCheckPort, leased.publicIngressPort])
    if (!ports.includes(port)) throw new Problem(`its manifest has no port ${port}`);
  const members = new Set(manifestSet.members.map(({ pubKey }) => pubKey));
  const valid = approvals.filter((one) => members.has(one.publicKey) && hasSigned(one, hash));
  // Two members with one key to sign with are one signer.
  const signers = new Set(valid.map(({ publicKey }) => publicKey.slice(publicKey.length / 2)));
  if (manifestSet.threshold < 1 || signers.size < manifestSet.threshold)
    throw new Problem(`its manifest has ${signers.size} valid approvals, and needs ${manifestSet.threshold}`);
  return { manifest, hash };
}
