import type { ActivityKind } from '../../engine/activity/declare.ts';
import { countersignRefuseRootRecovery } from './countersign-refuse-root-recovery.ts';
import { createOrganization } from './create-organization.ts';
import { createSubOrganization } from './create-sub-organization.ts';
import { deleteOrganization } from './delete-organization.ts';
import { deleteSubOrganization } from './delete-sub-organization.ts';
import { removeOrganizationFeature } from './remove-organization-feature.ts';
import { setOrganizationFeature } from './set-organization-feature.ts';
import { updateAllowedOrigins } from './update-allowed-origins.ts';
import { updateOrganizationName } from './update-organization-name.ts';
import { updateRootQuorum } from './update-root-quorum.ts';

export const organizations: readonly ActivityKind[] = [
  countersignRefuseRootRecovery,
  createOrganization,
  createSubOrganization,
  deleteOrganization,
  deleteSubOrganization,
  removeOrganizationFeature,
  setOrganizationFeature,
  updateAllowedOrigins,
  updateOrganizationName,
  updateRootQuorum,
];
