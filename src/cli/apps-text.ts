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
  manifestSet: OperatorSet;
  manifest: { id: string; manifest: string };
  manifestApprovals: { operator: Operator }[];
  pivotContainer: { containerUrl: string; path: string; healthCheckType: string; healthCheckPort: number };
  createdAt: Time;
  delete: boolean;
  debugMode: boolean;
};

export type Status = {
  deployments: { deploymentId: string; readyReplicas: number; desiredReplicas: number; provisioningState?: string }[];
};

export type LogEntry = { line: { content: string; ts?: Time }; replicaLabel: string };

const timeOf = ({ seconds, nanos }: Time): string =>
  new Date(Number(seconds) * 1000 + Math.floor(Number(nanos) / 1e6)).toISOString();

const lines = (rows: readonly (readonly [name: string, value: string])[]): string =>
  rows.map(([name, value]) => `${`${name}:`.padEnd(22)}${printable(value)}\n`).join('');

const setText = ({ threshold, operators }: OperatorSet): string =>
  `${threshold} of ${operators.map(({ name }) => name).join(', ')}`;

const memberText = ({ threshold, members }: Manifest['manifestSet']): string =>
  `${threshold} of ${members.map(({ alias, pubKey }) => `${alias} (${pubKey.slice(0, 10)}…)`).join(', ')}`;

/** What an operator approves, and what the approval leaves open. */
export function manifestText(hash: string, manifest: Manifest, { pivotContainer }: Deployment): string {
  const { namespace, pivot, manifestSet, shareSet, enclave } = manifest;
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
    ['approved by', memberText(manifestSet)],
    ['shares of the key by', memberText(shareSet)],
    ['runner', enclave.qosCommit],
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
    const parts = [one.id, timeOf(one.createdAt), approvals, runs, state?.provisioningState, ...marks];
    return `${printable(parts.filter((part) => typeof part === 'string' && part !== '').join('  '))}\n`;
  });
  return `${head}${rows.join('') || 'There are no deployments.\n'}`;
}

export const logLine = ({ line, replicaLabel }: LogEntry): string =>
  `${printable([line.ts === undefined ? '' : timeOf(line.ts), replicaLabel, line.content].filter(Boolean).join('  '))}\n`;
