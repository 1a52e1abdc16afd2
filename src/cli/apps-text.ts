import type { Manifest } from '../model/tvc/manifest.ts';
import { printable } from './printable.ts';

type Time = { seconds: string; nanos: string };
type Operator = { id: string; name: string; publicKey: string };
type OperatorSet = { name: string; threshold: number; operators: Operator[] };

export type App = {
  id: string;
  name: string;
  publicDomain: string;
  enableEgress: boolean;
  enableDebugModeDeployments: boolean;
  liveDeploymentId?: string;
  manifestSet: OperatorSet;
  shareSet: OperatorSet;
};

export type Deployment = {
  id: string;
  appId: string;
  shareSet: OperatorSet;
  manifestSet: OperatorSet;
  manifest: { id: string; manifest: string };
  manifestApprovals: { operator: Operator }[];
  pivotContainer: { containerUrl: string; path: string; healthCheckType: string; healthCheckPort: number };
  createdAt: Time;
  delete: boolean;
  debugMode: boolean;
};

export type Status = {
  deployments: {
    deploymentId: string;
    readyReplicas: number;
    desiredReplicas: number;
    provisioningState?: string;
    problem?: string;
  }[];
};

export type LogEntry = { line: { content: string; ts?: Time }; replicaLabel: string };

const timeOf = ({ seconds, nanos }: Time): string =>
  new Date(Number(seconds) * 1000 + Math.floor(Number(nanos) / 1e6)).toISOString();

/** Escapes what a terminal does not show, or shows in another order: a manifest must not be approved unseen. */
const visible = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (hidden) => `\\u{${hidden.codePointAt(0)!.toString(16)}}`);

/** A row without a name goes on with the row before. */
type Row = readonly [name: string, value: string];

const lines = (rows: readonly Row[]): string =>
  rows.map(([name, value]) => `${(name && `${name}:`).padEnd(22)}${visible(value)}\n`).join('');

const setText = ({ threshold, operators }: OperatorSet): string =>
  `${threshold} of ${operators.map(({ name }) => name).join(', ')}`;

/** The keys are shown whole, because anyone can make a key with the same first digits. */
const setRows = (
  name: string,
  { threshold, members }: { threshold: number; members: { alias?: string; pubKey: string }[] },
): Row[] => [
  [name, `${threshold} of ${members.length}`],
  ...members.map(({ alias, pubKey }): Row => ['', alias === undefined ? pubKey : `${JSON.stringify(alias)} ${pubKey}`]),
];

const hasNoMeasurement = (values: readonly string[]): boolean => values.every((value) => /^0*$/.test(value));

/** What a deployment waits for, in words. */
function waitsFor(
  { manifestApprovals, manifestSet }: Deployment,
  state: Status['deployments'][number] | undefined,
): string | undefined {
  switch (state?.provisioningState) {
    case 'PROVISIONING_STATE_PENDING':
      if (manifestApprovals.length < manifestSet.threshold) return 'awaits approvals';
      return state.problem ? 'does not start' : 'awaits a runner';
    case 'PROVISIONING_STATE_AWAITING_PROVISION':
      return 'awaits shares';
    case 'PROVISIONING_STATE_PROVISIONED':
      return 'provisioned';
    default:
      return undefined;
  }
}

/** What an operator approves, and what the approval leaves open. */
export function manifestText(hash: string, manifest: Manifest, { pivotContainer }: Deployment): string {
  const { namespace, pivot, manifestSet, shareSet, patchSet } = manifest;
  const { qosCommit, ...measured } = manifest.enclave;
  const { containerUrl, path, healthCheckType, healthCheckPort } = pivotContainer;
  const signed = lines([
    ['manifest hash', hash],
    ['namespace', `${namespace.name}, nonce ${namespace.nonce}`],
    ['executable, SHA-256', pivot.hash],
    ['arguments', JSON.stringify(pivot.args)],
    ['ports', pivot.bridgeConfig.map(({ type, port, host }) => `${type} ${host ?? ''}:${port}`).join(', ')],
    ['restart', pivot.restart],
    ['debug mode', pivot.debugMode ? 'ON: what the app writes can be read' : 'off'],
    ['quorum key', namespace.quorumKey],
    ...setRows('approved by', manifestSet),
    ...setRows('shares of the key by', shareSet),
    ...setRows('patches by', patchSet),
    ['runner', qosCommit],
    ['measurements', hasNoMeasurement(Object.values(measured)) ? 'none' : JSON.stringify(measured)],
  ]);
  const open = lines([
    ['image', containerUrl],
    ['path in it', path],
    ['health check', `${healthCheckType} on ${healthCheckPort}`],
  ]);
  return `${signed}Not part of the manifest, and so not approved:\n${open}`;
}

export function appText(app: App, deployments: readonly Deployment[], { deployments: states }: Status): string {
  const { id, name, publicDomain, enableEgress, enableDebugModeDeployments, liveDeploymentId, manifestSet, shareSet } = app;
  const head = lines([
    ['app', `${name} (${id})`],
    ['domain', publicDomain],
    ['egress', enableEgress ? 'on' : 'off'],
    ['debug mode', enableDebugModeDeployments ? 'allowed' : 'never'],
    ['manifests need', setText(manifestSet)],
    ['shares need', setText(shareSet)],
  ]);
  const byId = new Map(states.map((state) => [state.deploymentId, state]));
  const rows = deployments.map((one) => {
    const state = byId.get(one.id);
    const approvals = `${one.manifestApprovals.length} of ${one.manifestSet.threshold} approvals`;
    const marks = [one.id === liveDeploymentId && 'live', one.delete && 'deleted', one.debugMode && 'debug mode'];
    const runs = state === undefined ? '' : `${state.readyReplicas}/${state.desiredReplicas} ready`;
    const parts = [one.id, timeOf(one.createdAt), approvals, runs, waitsFor(one, state), ...marks, state?.problem];
    return `${printable(parts.filter((part) => typeof part === 'string' && part !== '').join('  '))}\n`;
  });
  return `${head}${rows.join('') || 'There are no deployments.\n'}`;
}

export const logLine = ({ line, replicaLabel }: LogEntry): string =>
  `${printable([line.ts === undefined ? '' : timeOf(line.ts), replicaLabel, line.content].filter(Boolean).join('  '))}\n`;
