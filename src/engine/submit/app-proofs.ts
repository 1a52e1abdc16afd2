import { hash } from 'node:crypto';
import { firstVote, type Vote } from '../../model/activity.ts';
import type { AppProofs, SignedProof } from '../../model/app-proof.ts';
import { isProxy } from '../../model/auth-proxy.ts';
import type { DerivedAddress } from '../activity/declare.ts';
import type { Engine } from '../engine.ts';
import { factsOf } from '../request/context.ts';
import type { Execution } from './execution.ts';

/**
 * Whether an activity that is executed now gets app proofs. Wallet kits expect proofs of hardware for sign-ups through the auth
 * proxy, so these get none. No policy decides about a newcomer.
 */
export function provesActivity({ appProofs }: Engine, { decoded, request, submitter = request.caller }: Execution): boolean {
  return decoded.generateAppProofs && appProofs !== undefined && decoded.kind.admit === undefined && !isProxy(submitter);
}

/** Lower-case hex. */
const digestOf = (text: string | Buffer): string => hash('sha256', text, 'hex');

/** Of an organization, as the decision saw it. */
const factDigest = (fact: { organizationId: string; version: number } | undefined): string =>
  fact === undefined ? '' : digestOf(JSON.stringify({ organizationId: fact.organizationId, version: fact.version }));

const derivationProof = ({ organizationId, walletId, path, address }: DerivedAddress, timestampMs: string): string =>
  JSON.stringify({
    type: 'APP_PROOF_TYPE_ADDRESS_DERIVATION',
    timestampMs,
    addressDerivationProof: { organizationId, walletId, derivationPath: path, address },
  });

/** The stamp of an approval, with the digest of what it signed. */
const approvalOf = ({ userId, scheme, publicKey, signature, message }: Vote, fingerprint: string) => ({
  userId,
  scheme,
  publicKey,
  signature,
  bodyDigest: message === null ? fingerprint.slice('sha256:'.length) : digestOf(message),
});

/** `docs/app-proofs.md` describes each digest. */
function outcomeProof({ request, decoded, activity, decision, votes = [firstVote(activity)] }: Execution, timestampMs: string) {
  const { organization } = request;
  const facts = factsOf(request);
  const evaluations = decision.policyEvaluations
    .filter(({ outcome }) => outcome !== 'OUTCOME_DENY_IMPLICIT')
    .map(({ policyId, outcome }) => ({ policyId, outcome }))
    .sort((a, b) => (a.policyId < b.policyId ? -1 : 1));
  const { id: activityId, fingerprint } = activity;
  const context = { activityId, activityType: decoded.version.type, fingerprint, policyEvaluations: evaluations };
  return JSON.stringify({
    type: 'APP_PROOF_TYPE_POLICY_OUTCOME',
    timestampMs,
    policyOutcomeProof: {
      organizationId: organization.id,
      outcome: 'OUTCOME_ALLOW',
      decisionContextDigest: digestOf(JSON.stringify(context)),
      organizationDataDigest: factDigest(facts.find(({ organizationId }) => organizationId === organization.id)),
      parentOrganizationDataDigest: factDigest(facts.find(({ organizationId }) => organizationId === organization.parentId)),
      userRequestApprovals: votes
        .filter(({ selection }) => selection === 'VOTE_SELECTION_APPROVED')
        .map((vote) => approvalOf(vote, fingerprint)),
    },
  });
}

/** For an activity that is about to be executed: its policy outcome, and each address that it derives. */
export async function signProofs({ appProofs }: Engine, execution: Execution, prepared: unknown): Promise<AppProofs> {
  const { stored, publicKey, sign } = appProofs!;
  await stored();
  const { activity, decoded, request } = execution;
  const { organizationId, id: activityId } = activity;
  const timestampMs = String(request.now);
  const derived = decoded.kind.derived?.(prepared) ?? [];
  const payloads = [outcomeProof(execution, timestampMs), ...derived.map((one) => derivationProof(one, timestampMs))];
  const proofs: SignedProof[] = payloads.map((payload) => ({ payload, signature: sign(payload) }));
  return { organizationId, activityId, publicKey, proofs, createdAt: request.now };
}
