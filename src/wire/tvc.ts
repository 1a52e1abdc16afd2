import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import type { TvcApp as App } from '../model/tvc/app.ts';
import type { TvcManifestApproval as Approval, TvcDeployment as Deployment } from '../model/tvc/deployment.ts';
import { HEALTH_CHECK_TYPES } from '../model/tvc/deployment.ts';
import type { SetWithOperators } from '../model/tvc/manifest.ts';
import { MOST_OPERATORS, type TvcOperator as Operator, operatorKey } from '../model/tvc/operator.ts';
import { Id, IdOut, Label, Timestamp } from './common.ts';
import { oneOf } from './enums.ts';

const MOST_ARGS = 100;
const LONGEST_ARGS = 32_768;

const TWO_POINTS = 'must be two uncompressed P-256 public keys in hex, one after the other: 260 digits';
/** Which points these are is checked by `twoKeys`. */
export const TwoPublicKeys = z
  .string()
  .length(260, TWO_POINTS)
  .regex(/^[0-9a-fA-F]*$/, TWO_POINTS)
  .transform((text) => text.toLowerCase());

const MANY = `must have at most ${MOST_OPERATORS}`;
const THRESHOLD = `must be a whole number from 1 to ${MOST_OPERATORS}`;
export const OperatorSetParams = z.object({
  name: Label,
  newOperators: z
    .array(z.object({ name: Label, publicKey: TwoPublicKeys }))
    .max(MOST_OPERATORS, MANY)
    .optional(),
  existingOperatorIds: z.array(Id).max(MOST_OPERATORS, MANY).optional(),
  threshold: z.int().min(1, THRESHOLD).max(MOST_OPERATORS, THRESHOLD),
});

export type OperatorSetParams = z.output<typeof OperatorSetParams>;

export const CreateTvcAppParams = z.object({
  name: Label,
  quorumPublicKey: TwoPublicKeys,
  manifestSetId: Id.optional(),
  manifestSetParams: OperatorSetParams.optional(),
  shareSetId: Id.optional(),
  shareSetParams: OperatorSetParams.optional(),
  enableEgress: z.boolean().optional(),
  enableDebugModeDeployments: z.boolean().optional(),
});

const PORT = 'must be a whole number from 1 to 65535';
const Port = z.int().min(1, PORT).max(65_535, PORT);
const line = (most: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(most, `must have at most ${most} characters`)
    .regex(/^[^\s\p{Cc}]+$/u, 'must not have spaces or control characters');
const NONCE = 'must be a whole number from 0 to 4294967295';
const DIGEST = 'must be the SHA-256 of the executable: 64 hex digits';
const ARGS = `must have at most ${LONGEST_ARGS} bytes together`;

export const CreateTvcDeploymentParams = z.object({
  appId: Id,
  qosVersion: z.string().max(64),
  pivotContainerImageUrl: line(2048),
  pivotPath: z
    .string()
    .max(1024, 'must have at most 1024 characters')
    .regex(/^\/\P{Cc}+$/u, 'must be an absolute path without control characters'),
  pivotArgs: z
    .array(z.string().max(LONGEST_ARGS, `must have at most ${LONGEST_ARGS} characters`))
    .max(MOST_ARGS, `must have at most ${MOST_ARGS}`)
    .refine((args) => args.reduce((sum, arg) => sum + Buffer.byteLength(arg), 0) <= LONGEST_ARGS, ARGS),
  expectedPivotDigest: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, DIGEST)
    .transform((text) => text.toLowerCase()),
  nonce: z.int().min(0, NONCE).max(0xffff_ffff, NONCE).optional(),
  pivotContainerEncryptedPullSecret: line(8192).optional(),
  debugMode: z.boolean().optional(),
  healthCheckType: oneOf('health check type', HEALTH_CHECK_TYPES),
  healthCheckPort: Port,
  publicIngressPort: Port,
  /** One replica runs, whatever this says. */
  replicas: z.int().min(1).max(100).optional(),
  instanceSizeCpus: z.number().positive().max(64).optional(),
  instanceSizeRam: z.number().positive().max(1024).optional(),
});

export const CreateTvcManifestApprovalsParams = z.object({
  manifestId: Id,
  approvals: z
    .array(z.object({ operatorId: Id, signature: z.string().regex(/^[0-9a-fA-F]{128}$/, 'must be r and s in hex: 128 digits') }))
    .min(1, 'must name at least one')
    .max(MOST_OPERATORS, MANY)
    .refine((all) => new Set(all.map(({ operatorId }) => operatorId)).size === all.length, 'must name each operator once'),
});

const times = { createdAt: Timestamp, updatedAt: Timestamp };

export const TvcOperator = z.object({
  id: IdOut,
  name: z.string(),
  publicKey: z.string(),
  ...times,
  encryptPublicKey: z.string(),
  signPublicKey: z.string(),
  keySource: z.string(),
});

export const TvcOperatorSet = z.object({
  id: IdOut,
  name: z.string(),
  organizationId: IdOut,
  operators: z.array(TvcOperator),
  threshold: z.int(),
  ...times,
});

export const TvcApp = z.object({
  id: IdOut,
  organizationId: IdOut,
  name: z.string(),
  quorumPublicKey: z.string(),
  manifestSet: TvcOperatorSet,
  shareSet: TvcOperatorSet,
  enableEgress: z.boolean(),
  ...times,
  liveDeploymentId: IdOut.optional(),
  publicDomain: z.string(),
  enableDebugModeDeployments: z.boolean(),
});

export const TvcDeployment = z.object({
  id: IdOut,
  organizationId: IdOut,
  appId: IdOut,
  manifestSet: TvcOperatorSet,
  shareSet: TvcOperatorSet,
  manifest: z.object({ id: IdOut, manifest: z.string(), ...times }),
  manifestApprovals: z.array(z.object({ id: IdOut, manifestId: IdOut, operator: TvcOperator, approval: z.string(), ...times })),
  qosVersion: z.string(),
  pivotContainer: z.object({
    containerUrl: z.string(),
    path: z.string(),
    args: z.array(z.string()),
    hasPullSecret: z.boolean(),
    healthCheckType: z.string(),
    healthCheckPort: z.int(),
    publicIngressPort: z.int(),
  }),
  ...times,
  delete: z.boolean(),
  debugMode: z.boolean(),
  instanceSizeCpus: z.number().optional(),
  instanceSizeRam: z.number().optional(),
});

const timesOf = ({ createdAt, updatedAt = createdAt }: { createdAt: number; updatedAt?: number }) => ({
  createdAt: wireTimestamp(createdAt),
  updatedAt: wireTimestamp(updatedAt),
});

export function viewOperator(operator: Operator): z.output<typeof TvcOperator> {
  const { id, name, encryptPublicKey, signPublicKey, walletId } = operator;
  return {
    id,
    name,
    publicKey: operatorKey(operator),
    ...timesOf(operator),
    encryptPublicKey,
    signPublicKey,
    keySource: walletId === null ? 'EXTERNAL' : 'WALLET',
  };
}

function viewSet({ set, operators }: SetWithOperators): z.output<typeof TvcOperatorSet> {
  const { id, name, organizationId, threshold } = set;
  return { id, name, organizationId, operators: operators.map(viewOperator), threshold, ...timesOf(set) };
}

/** The sets of an app. */
export type Sets = { manifestSet: SetWithOperators; shareSet: SetWithOperators };

export function viewApp(app: App, { manifestSet, shareSet }: Sets, appsDomain: string): z.output<typeof TvcApp> {
  const { id, organizationId, name, quorumPublicKey, enableEgress, enableDebugModeDeployments, liveDeploymentId } = app;
  return {
    id,
    organizationId,
    name,
    quorumPublicKey,
    manifestSet: viewSet(manifestSet),
    shareSet: viewSet(shareSet),
    enableEgress,
    ...timesOf(app),
    ...(liveDeploymentId === null ? {} : { liveDeploymentId }),
    publicDomain: `app-${id}.${appsDomain}`,
    enableDebugModeDeployments,
  };
}

export function viewDeployment(
  deployment: Deployment,
  { manifestSet, shareSet }: Sets,
  approvals: readonly Approval[],
): z.output<typeof TvcDeployment> {
  const { id, organizationId, appId, manifestId, createdAt, instanceSize } = deployment;
  const operators = new Map(manifestSet.operators.map((one) => [one.id, one]));
  return {
    id,
    organizationId,
    appId,
    manifestSet: viewSet(manifestSet),
    shareSet: viewSet(shareSet),
    manifest: {
      id: manifestId,
      manifest: Buffer.from(deployment.manifest).toString('base64'),
      ...timesOf({ createdAt }),
    },
    manifestApprovals: approvals.map((approval) => ({
      id: approval.id,
      manifestId,
      operator: viewOperator(operators.get(approval.operatorId)!),
      approval: Buffer.from(approval.signature, 'hex').toString('base64'),
      ...timesOf(approval),
    })),
    qosVersion: deployment.qosVersion,
    pivotContainer: {
      containerUrl: deployment.containerUrl,
      path: deployment.pivotPath,
      args: [...deployment.pivotArgs],
      hasPullSecret: deployment.encryptedPullSecret !== null,
      healthCheckType: deployment.healthCheckType,
      healthCheckPort: deployment.healthCheckPort,
      publicIngressPort: deployment.publicIngressPort,
    },
    ...timesOf(deployment),
    delete: deployment.deleted,
    debugMode: deployment.debugMode,
    ...(instanceSize.cpus === undefined ? {} : { instanceSizeCpus: instanceSize.cpus }),
    ...(instanceSize.ram === undefined ? {} : { instanceSizeRam: instanceSize.ram }),
  };
}
