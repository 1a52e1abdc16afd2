import type { QueryKind } from '../../engine/query/declare.ts';
import { getOrganizationConfigs } from './get-organization-configs.ts';
import { listSuborgs } from './list-suborgs.ts';
import { whoami } from './whoami.ts';

export const organizations: readonly QueryKind[] = [getOrganizationConfigs, listSuborgs, whoami];
