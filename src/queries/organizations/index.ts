import type { QueryKind } from '../../engine/query/declare.ts';
import { findSuborgs } from './find-suborgs.ts';
import { getOrganization } from './get-organization.ts';
import { getOrganizationConfigs } from './get-organization-configs.ts';
import { listSuborgs } from './list-suborgs.ts';
import { listVerifiedSuborgs } from './list-verified-suborgs.ts';
import { whoami } from './whoami.ts';

export const organizations: readonly QueryKind[] = [
  findSuborgs,
  getOrganization,
  getOrganizationConfigs,
  listSuborgs,
  listVerifiedSuborgs,
  whoami,
];
