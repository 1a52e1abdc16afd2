import { z } from 'zod';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';

/** A pending recovery ends by the stamp of this activity, or is refused when it would take effect. */
export const countersignRefuseRootRecovery = activity({
  kind: 'COUNTERSIGN_REFUSE_ROOT_RECOVERY',
  resource: '',
  action: '',
  governedBy: 'root-quorum',
  summary: 'Refuse for good that the operator recovers a root user of the organization or of its sub-organizations',
  params: v1(z.object({})),
  result: { key: 'countersignRefuseRootRecoveryResult', shape: z.object({}) },
  errors: [],
  async execute({ ctx: { organization, store, now } }) {
    const pending = organization.rootRecovery?.pending ?? null;
    await store.organizations.change(organization.id, { rootRecovery: { refused: true, pending } }, now);
    return {};
  },
});
