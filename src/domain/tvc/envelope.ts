import type { TvcDeployment, TvcManifestApproval } from '../../model/tvc/deployment.ts';
import { operatorKey } from '../../model/tvc/operator.ts';
import type { TvcProvisioningShare } from '../../model/tvc/provisioning.ts';
import type { Reader } from '../../store/types.ts';
import type { Sets } from '../../wire/tvc.ts';

type Approved = Pick<TvcManifestApproval | TvcProvisioningShare, 'id' | 'operatorId' | 'signature'>;

const approvalsOf = ({ operators }: Sets['manifestSet'], approved: readonly Approved[]) =>
  approved
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ operatorId, signature }) => {
      const member = operators.find(({ id }) => id === operatorId)!;
      return { signature, member: { alias: member.name, pubKey: operatorKey(member) } };
    });

/** The manifest with the approvals of its operators, as JSON. */
export async function manifestEnvelope(
  read: Pick<Reader, 'tvcManifestApprovals' | 'tvcProvisioningShares'>,
  { organizationId, id, manifest }: TvcDeployment,
  { manifestSet, shareSet }: Sets,
): Promise<Buffer> {
  const approvals = await read.tvcManifestApprovals.ofDeployments(organizationId, [id]);
  const shares = await read.tvcProvisioningShares.ofDeployment(organizationId, id);
  const approved = {
    manifestSetApprovals: approvalsOf(manifestSet, approvals),
    shareSetApprovals: approvalsOf(shareSet, shares),
  };
  // The manifest is the text that operators have signed.
  return Buffer.from(`{"manifest":${manifest},${JSON.stringify(approved).slice(1)}`);
}
