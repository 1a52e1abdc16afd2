import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { TvcApp } from '../../model/tvc/app.ts';
import type { TvcDeployment } from '../../model/tvc/deployment.ts';
import type { Reader } from '../../store/types.ts';

/** Throws NOT_FOUND. `field`: what names the app in the request. */
export async function tvcAppOf(read: Pick<Reader, 'tvcApps'>, org: string, id: string, field: string): Promise<TvcApp> {
  const found = await read.tvcApps.get(org, id);
  if (found === undefined) throw new ApiError('NOT_FOUND', `verifiable app not found: ${field} names ${id}`);
  return found;
}
tvcAppOf.errors = errorsOf('NOT_FOUND');

/** Throws NOT_FOUND, or REQUEST_INVALID if the app is deleted. */
export async function keptTvcAppOf(read: Pick<Reader, 'tvcApps'>, org: string, id: string, field: string): Promise<TvcApp> {
  const app = await tvcAppOf(read, org, id, field);
  if (app.deleted) throw invalid(field, `names a deleted app: ${id}`);
  return app;
}
keptTvcAppOf.errors = errorsOf(tvcAppOf, 'REQUEST_INVALID');

/** Throws NOT_FOUND. */
export async function tvcDeploymentOf(
  read: Pick<Reader, 'tvcDeployments'>,
  org: string,
  id: string,
  field: string,
): Promise<TvcDeployment> {
  const found = await read.tvcDeployments.get(org, id);
  if (found === undefined) throw new ApiError('NOT_FOUND', `deployment not found: ${field} names ${id}`);
  return found;
}
tvcDeploymentOf.errors = errorsOf('NOT_FOUND');

/** Throws REQUEST_INVALID for a deployment that is deleted, also with its app. */
export function requireKept({ id, deleted }: TvcDeployment, field: string): void {
  if (deleted) throw invalid(field, `names a deleted deployment: ${id}`);
}
requireKept.errors = errorsOf('REQUEST_INVALID');
