import type { TvcApp } from '../../model/tvc/app.ts';
import type { TvcDeployment } from '../../model/tvc/deployment.ts';
import type { Reader } from '../../store/types.ts';
import { type Sets, viewApp, viewDeployment } from '../../wire/tvc.ts';
import { setsWithOperators } from './operator-sets.ts';

type Ctx = { organization: { id: string }; read: Reader };

/** The sets of an app, with their operators. */
export async function setsOf(
  read: Pick<Reader, 'tvcOperators' | 'tvcOperatorSets'>,
  { organizationId, manifestSetId, shareSetId }: TvcApp,
): Promise<Sets> {
  const sets = await setsWithOperators(read, organizationId, [manifestSetId, shareSetId]);
  return { manifestSet: sets.get(manifestSetId)!, shareSet: sets.get(shareSetId)! };
}

export async function showApps({ organization, read, appsDomain }: Ctx & { appsDomain: string }, apps: readonly TvcApp[]) {
  const ids = apps.flatMap(({ manifestSetId, shareSetId }) => [manifestSetId, shareSetId]);
  const sets = await setsWithOperators(read, organization.id, ids);
  return apps.map((app) =>
    viewApp(app, { manifestSet: sets.get(app.manifestSetId)!, shareSet: sets.get(app.shareSetId)! }, appsDomain),
  );
}

/** Deployments of one app. */
export async function showDeployments({ organization, read }: Ctx, sets: Sets, deployments: readonly TvcDeployment[]) {
  const ids = deployments.map(({ id }) => id);
  const approvals = Map.groupBy(
    await read.tvcManifestApprovals.ofDeployments(organization.id, ids),
    ({ deploymentId }) => deploymentId,
  );
  return deployments.map((one) =>
    viewDeployment(
      one,
      sets,
      (approvals.get(one.id) ?? []).sort((a, b) => (a.id < b.id ? -1 : 1)),
    ),
  );
}
