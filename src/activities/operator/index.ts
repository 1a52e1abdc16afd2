import type { ActivityKind } from '../../engine/activity/declare.ts';
import { countersignRecoverRootUser } from './countersign-recover-root-user.ts';

/** Activities that only the operator's commands write. They have no path, and no other activity's path takes their types. */
export const operator: readonly ActivityKind[] = [countersignRecoverRootUser];
