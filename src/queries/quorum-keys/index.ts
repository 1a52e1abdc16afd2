import type { QueryKind } from '../../engine/query/declare.ts';
import { getTvcDeploymentProvisioningDetails } from './get-tvc-deployment-provisioning-details.ts';
import { listTvcQuorumKeys } from './list-tvc-quorum-keys.ts';

export const quorumKeys: readonly QueryKind[] = [getTvcDeploymentProvisioningDetails, listTvcQuorumKeys];
