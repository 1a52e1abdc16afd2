import { CommandFailed } from '../base/command-failed.ts';
import { UUID } from '../base/ids.ts';
import { postShare } from './apps-share.ts';
import { type AppsOptions, answer, ask, type Context, json, manifestIn, Refused, requireSame, type Told } from './apps-shared.ts';
import { type App, appText, type Deployment, type LogEntry, logLine, manifestText, type Status } from './apps-text.ts';
import { UsageError } from './client.ts';
import { submit } from './operations.ts';
import { newOperatorKey, readOperatorKey } from './operator-key.ts';
import { printable } from './printable.ts';

const SEE = 'see countersign apps --help';
async function operatorKey({ operand, options }: Context): Promise<Told> {
  const { file, publicKey } = newOperatorKey(operand, options.force);
  return { text: options.json ? json({ name: operand, file, publicKey }) : `${publicKey}\n`, code: 0 };
}

type Activity = { id: string; status: string; result: { createTvcManifestApprovalsResult?: { approvalIds: string[] } } };

async function approve({ operand: deploymentId, now, options }: Context): Promise<Told> {
  if (options.key === undefined)
    throw new UsageError('name the file of the operator: countersign apps approve DEPLOYMENT_ID --key FILE');
  const key = readOperatorKey(options.key);
  const { tvcDeployment } = await ask<{ tvcDeployment: Deployment }>('get_tvc_deployment', { deploymentId }, options);
  const { manifest, hash } = manifestIn(tvcDeployment);
  const executable = 'the manifest is for another executable: its SHA-256';
  requireSame({ option: '--digest', wanted: options.digest, found: manifest.pivot.hash, text: executable });
  const manifestHash = hash.toString('hex');
  requireSame({ option: '--hash', wanted: options.hash, found: manifestHash, text: 'this is another manifest: its hash' });
  const operator = tvcDeployment.manifestSet.operators.find(({ publicKey }) => publicKey === key.publicKey);
  if (operator === undefined || !manifest.manifestSet.members.some(({ pubKey }) => pubKey === key.publicKey))
    throw new CommandFailed(`${options.key} is the key of no operator who may approve this manifest`);
  const { id: manifestId } = tvcDeployment.manifest;
  const name = printable(operator.name);
  const seen = { deploymentId, manifestId, manifestHash, operatorId: operator.id, manifest };
  const shown = manifestText(manifestHash, manifest, tvcDeployment);
  if (options['dry-run'])
    return {
      text: options.json ? json(seen) : `${shown}Nothing was signed: operator ${name} would approve this.\n`,
      code: 0,
    };
  const approvals = [{ operatorId: operator.id, signature: key.sign(hash) }];
  const parameters = JSON.stringify({ manifestId, approvals });
  const { activity } = await answer<{ activity: Activity }>(submit('create_tvc_manifest_approvals', parameters, now(), options));
  const { id: activityId, status, result } = activity;
  const approvalIds = result.createTvcManifestApprovalsResult?.approvalIds;
  if (options.json) return { text: json({ ...seen, approvals, activityId, status, approvalIds: approvalIds ?? [] }), code: 0 };
  const outcome =
    approvalIds === undefined
      ? `Activity ${activityId} waits for approvals of users (${status}). The manifest is not approved yet.\n`
      : `Approved by operator ${name}: ${tvcDeployment.manifestApprovals.length + 1} of ${manifest.manifestSet.threshold}.\n`;
  return { text: shown + outcome, code: 0 };
}

async function status({ operand: appId, options }: Context): Promise<Told> {
  const { tvcApp } = await ask<{ tvcApp: App }>('get_tvc_app', { tvcAppId: appId }, options);
  const { tvcDeployments } = await ask<{ tvcDeployments: Deployment[] }>('list_tvc_app_deployments', { appId }, options);
  const { appStatus } = await ask<{ appStatus: Status }>('get_app_status', { appId }, options);
  const text = options.json ? json({ tvcApp, tvcDeployments, appStatus }) : appText(tvcApp, tvcDeployments, appStatus);
  return { text, code: 0 };
}

async function logs({ operand: deploymentId, options }: Context): Promise<Told> {
  const { tail, since } = options;
  if (tail !== undefined && !/^[1-9]\d{0,4}$/.test(tail)) throw new UsageError(`--tail must be a number of lines, not "${tail}"`);
  const parameters = {
    deploymentId,
    ...(tail === undefined ? {} : { tailLines: Number(tail) }),
    ...(since === undefined ? {} : { sinceSeconds: since }),
  };
  const { entries } = await ask<{ entries: LogEntry[] }>('get_tvc_deployment_debug_logs', parameters, options);
  if (options.json) return { text: json({ entries }), code: 0 };
  return { text: entries.map(logLine).join('') || 'There are no lines.\n', code: 0 };
}

type Action = { operand: string; isId: boolean; run(context: Context): Promise<Told> };

const ACTIONS: Readonly<Record<string, Action>> = {
  'operator-key': { operand: 'NAME', isId: false, run: operatorKey },
  approve: { operand: 'DEPLOYMENT_ID', isId: true, run: approve },
  'post-share': { operand: 'DEPLOYMENT_ID', isId: true, run: postShare },
  status: { operand: 'APP_ID', isId: true, run: status },
  logs: { operand: 'DEPLOYMENT_ID', isId: true, run: logs },
};

/** `countersign apps …` */
export async function appsCommand(
  [action = '', operand, surplus]: readonly string[],
  now: () => number,
  options: AppsOptions,
): Promise<Told> {
  const found = Object.hasOwn(ACTIONS, action) ? ACTIONS[action]! : undefined;
  if (found === undefined) throw new UsageError(`there is no "apps ${action}": ${SEE}`);
  if (operand === undefined) throw new UsageError(`countersign apps ${action} needs ${found.operand}: ${SEE}`);
  if (surplus !== undefined) throw new UsageError(`countersign apps ${action} takes no "${surplus}": ${SEE}`);
  if (found.isId && !UUID.test(operand)) throw new UsageError(`${found.operand} must be an id, not "${operand}"`);
  try {
    return await found.run({ operand: found.isId ? operand.toLowerCase() : operand, now, options });
  } catch (error) {
    if (error instanceof Refused) return { reply: error.reply };
    throw error;
  }
}
