import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createTvcApp } from './create-tvc-app.ts';
import { createTvcDeployment } from './create-tvc-deployment.ts';
import { createTvcManifestApprovals } from './create-tvc-manifest-approvals.ts';
import { deleteTvcAppAndDeployments } from './delete-tvc-app-and-deployments.ts';
import { deleteTvcDeployment } from './delete-tvc-deployment.ts';
import { restoreTvcDeployment } from './restore-tvc-deployment.ts';
import { updateTvcAppLiveDeployment } from './update-tvc-app-live-deployment.ts';

export const tvc: readonly ActivityKind[] = [
  createTvcApp,
  createTvcDeployment,
  createTvcManifestApprovals,
  updateTvcAppLiveDeployment,
  deleteTvcDeployment,
  restoreTvcDeployment,
  deleteTvcAppAndDeployments,
];
