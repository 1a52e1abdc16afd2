import type { QueryKind } from '../../engine/query/declare.ts';
import { getAppStatus } from './get-app-status.ts';
import { getTvcApp } from './get-tvc-app.ts';
import { getTvcDeployment } from './get-tvc-deployment.ts';
import { getTvcDeploymentDebugLogs } from './get-tvc-deployment-debug-logs.ts';
import { getTvcQosVersions } from './get-tvc-qos-versions.ts';
import { listTvcAppDeployments } from './list-tvc-app-deployments.ts';
import { listTvcApps } from './list-tvc-apps.ts';
import { listTvcOperators } from './list-tvc-operators.ts';
import { validateTvcImage } from './validate-tvc-image.ts';

export const tvc: readonly QueryKind[] = [
  listTvcApps,
  getTvcApp,
  listTvcAppDeployments,
  getTvcDeployment,
  getAppStatus,
  getTvcQosVersions,
  getTvcDeploymentDebugLogs,
  listTvcOperators,
  validateTvcImage,
];
