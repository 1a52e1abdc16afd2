import { invalid } from '../base/errors.ts';
import { quorumPublicHalves } from '../crypto/quorum-key.ts';
import { tvcAppOf } from '../domain/tvc/apps.ts';
import { setsOf } from '../domain/tvc/views.ts';
import { operatorKey } from '../model/tvc/operator.ts';
import type { TvcProvisioning } from '../model/tvc/provisioning.ts';
import { held, LeaseLost, type Named, type Parts } from './parts.ts';

type WithKey = Named & { ephemeralPublicKey: string };

/** Takes a new ephemeral key. Shares for an earlier one are removed. */
export async function attest({ store, clock, attestations, log }: Parts, { ephemeralPublicKey, ...named }: WithKey) {
  const publicKey = Buffer.from(ephemeralPublicKey, 'hex');
  if (quorumPublicHalves(publicKey) === undefined)
    throw invalid('ephemeralPublicKey', 'must be two uncompressed P-256 public keys, one after the other');
  const { organizationId, deploymentId } = named;
  const deployment = await store.read.tvcDeployments.get(organizationId, deploymentId);
  if (deployment === undefined) throw new LeaseLost();
  const now = clock.now();
  const userData = Buffer.from(deployment.manifestHash, 'hex');
  const made = attestations.attest({ moduleId: `app-${deploymentId}`, timestampMs: now, publicKey, userData });
  const attestation = await store.transaction(async (tx) => {
    const row = await held(tx, named, now);
    if (row.ephemeralKey === ephemeralPublicKey && row.attestation !== null) return row.attestation;
    await tx.tvcProvisioningShares.remove(organizationId, deploymentId);
    const awaiting = { state: 'PROVISIONING_STATE_AWAITING_PROVISION', isReady: false, problem: '', updatedAt: now } as const;
    await tx.tvcProvisionings.replace({ ...row, ...awaiting, ephemeralKey: ephemeralPublicKey, attestation: made });
    return made;
  });
  log.info({ organizationId, deploymentId }, 'a deployment has an ephemeral key, and awaits shares of its quorum key');
  return { attestationDocument: attestation.toString('base64') };
}

/** The posted shares, with the approvals of their operators. */
export async function shares({ store, clock }: Parts, { ephemeralPublicKey, ...named }: WithKey) {
  const { organizationId, deploymentId } = named;
  const { appId } = await store.transaction((tx) => held(tx, named, clock.now(), ephemeralPublicKey));
  const app = await tvcAppOf(store.read, organizationId, appId, 'the deployment');
  const { set, operators } = (await setsOf(store.read, app)).shareSet;
  const posted = await store.read.tvcProvisioningShares.ofDeployment(organizationId, deploymentId);
  return {
    threshold: set.threshold,
    quorumPublicKey: app.quorumPublicKey,
    shares: posted
      .filter(({ sealed }) => sealed.length > 0)
      .map(({ operatorId, sealed, signature }) => {
        const { name, ...keys } = operators.find(({ id }) => id === operatorId)!;
        return { operatorId, alias: name, publicKey: operatorKey({ name, ...keys }), share: sealed.toString('hex'), signature };
      }),
  };
}

/** How long a deployment that does not start is offered to no runner. */
const REST_MS = 60_000;

export const REPORTS = ['provisioned', 'ready', 'unhealthy', 'refused'] as const;

type Report = Named & { problem: string } & (
    | { state: (typeof REPORTS)[number]; ephemeralPublicKey: string }
    | { state: 'failed'; ephemeralPublicKey?: undefined }
  );

/**
 * `provisioned`: the runner has the quorum key. `refused`: the posted shares do not give it, and are removed. `unhealthy`: the app does not
 * run, or not yet. `failed`: the deployment does not start, and its runner gives it back.
 */
export async function report({ store, clock, log }: Parts, { ephemeralPublicKey, state, problem, ...named }: Report) {
  const { organizationId, deploymentId } = named;
  const now = clock.now();
  await store.transaction(async (tx) => {
    const row = await held(tx, named, now, ephemeralPublicKey);
    const change = (to: Partial<TvcProvisioning>) =>
      tx.tvcProvisionings.replace({ ...row, problem, isReady: false, ...to, updatedAt: now });
    if (state === 'refused' || state === 'failed') await tx.tvcProvisioningShares.remove(organizationId, deploymentId);
    if (state === 'failed') {
      // Until then no runner takes it, and its owner reads the problem.
      const rests = { runner: '', leaseUntil: now + REST_MS };
      await change({ ...rests, state: 'PROVISIONING_STATE_PENDING', ephemeralKey: null, attestation: null });
    } else if (state === 'provisioned') {
      await tx.tvcProvisioningShares.empty(organizationId, deploymentId);
      await change({ state: 'PROVISIONING_STATE_PROVISIONED' });
    } else if (state === 'ready') {
      if (row.state !== 'PROVISIONING_STATE_PROVISIONED') throw invalid('state', 'must be provisioned before it is ready');
      await change({ isReady: true });
    } else await change({});
  });
  const fields = { organizationId, deploymentId, problem };
  if (state === 'failed') log.warn(fields, 'a deployment does not start');
  else if (state === 'refused') log.warn(fields, 'the posted shares of a deployment do not give its quorum key');
  else log.info(fields, `a deployment is ${state}`);
  return {};
}
