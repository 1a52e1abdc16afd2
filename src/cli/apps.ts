import { CommandFailed } from '../base/command-failed.ts';
import { UUID } from '../base/ids.ts';
import { manifestHash as hashOf, Manifest } from '../model/tvc/manifest.ts';
import { type App, appText, type Deployment, type LogEntry, logLine, manifestText, type Status } from './apps-text.ts';
import { type Reply, UsageError } from './client.ts';
import { type ClientOptions, query, submit } from './operations.ts';
import { newOperatorKey, readOperatorKey } from './operator-key.ts';
import { printable } from './printable.ts';

export type AppsOptions = ClientOptions & {
  key?: string | undefined;
  digest?: string | undefined;
  hash?: string | undefined;
  tail?: string | undefined;
  since?: string | undefined;
  force: boolean;
  'dry-run': boolean;
  json: boolean;
};

/** The text to print, or the service's refusal. */
export type Told = { text: string; code: number } | { reply: Reply };

type Context = { operand: string; now: () => number; options: AppsOptions };

const SEE = 'see countersign apps --help';
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Stops a command at the service's refusal. */
class Refused extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super('refused');
    this.reply = reply;
  }
}

async function answer<T>(asked: Promise<Reply>): Promise<T> {
  const reply = await asked;
  if (reply.status >= 400) throw new Refused(reply);
  return JSON.parse(reply.text) as T;
}

const ask = <T>(name: string, parameters: object, options: ClientOptions): Promise<T> =>
  answer(query(name, JSON.stringify(parameters), options));

async function operatorKey({ operand, options }: Context): Promise<Told> {
  const { file, publicKey } = newOperatorKey(operand, options.force);
  return { text: options.json ? json({ name: operand, file, publicKey }) : `${publicKey}\n`, code: 0 };
}

/** The manifest and its hash, from the very bytes that the service gave. Throws CommandFailed for one that would be signed blindly. */
function manifestIn({ manifest: { manifest } }: Deployment): { manifest: Manifest; hash: Buffer } {
  let read: Manifest;
  try {
    read = Manifest.parse(JSON.parse(Buffer.from(manifest, 'base64').toString('utf8')));
  } catch (error) {
    throw new CommandFailed(
      `the manifest has another form than this program knows, so it signs nothing: ${(error as Error).message}`,
    );
  }
  return { manifest: read, hash: hashOf(read) };
}

type Given = { option: string; wanted: string | undefined; found: string; text: string };

/** Throws CommandFailed if the operator named another SHA-256 than the one that was found. */
function requireSame({ option, wanted, found, text }: Given): void {
  if (wanted === undefined) return;
  if (!/^[0-9a-fA-F]{64}$/.test(wanted)) throw new UsageError(`${option} must be a SHA-256 in hex, not "${wanted}"`);
  if (wanted.toLowerCase() !== found) throw new CommandFailed(`${text} is ${found}, not ${wanted}. Nothing was signed.`);
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
