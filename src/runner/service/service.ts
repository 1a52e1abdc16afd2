import { z } from 'zod';
import { HEALTH_CHECK_TYPES } from '../../model/tvc/deployment.ts';
import { type Call, Silent } from './call.ts';

const Id = z.uuid();
const Port = z.int().min(1).max(65_535);

/** More members than these are of a newer service, and are dropped. */
const Leased = z.object({
  organizationId: Id,
  deploymentId: Id,
  appId: Id,
  isLive: z.boolean(),
  enableEgress: z.boolean(),
  manifestHash: z.string(),
  manifestEnvelope: z.base64(),
  containerUrl: z.string().max(2048),
  pivotPath: z.string().max(1024),
  healthCheckType: z.enum(HEALTH_CHECK_TYPES),
  healthCheckPort: Port,
  publicIngressPort: Port,
  instanceSize: z.object({ cpus: z.number().positive().optional(), ram: z.number().positive().optional() }),
});
const LeaseMs = z.int().min(30_000).max(3_600_000);
const Leases = z.object({ leaseMs: LeaseMs, deployments: z.array(Leased).max(16) });
const Kept = z.object({
  leaseMs: LeaseMs,
  deployments: z.array(z.object({ deploymentId: Id, isLive: z.boolean() })).max(256),
});
const Attested = z.object({ attestationDocument: z.string() });
const Share = z.object({ publicKey: z.string(), share: z.string().max(16_384), signature: z.string().max(256) });
const Shares = z.object({ shares: z.array(Share).max(256) });

export type Leased = z.output<typeof Leased>;
export type Share = z.output<typeof Share>;
export type Place = Pick<Leased, 'organizationId' | 'deploymentId'>;
export type Line = { at: number; text: string };
export type State = 'provisioned' | 'ready' | 'unhealthy' | 'refused';

const placeOf = ({ organizationId, deploymentId }: Place): Place => ({ organizationId, deploymentId });

/** What the service shows to the owner: no control characters, and bounded. */
const shown = (problem: string): string =>
  problem
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, 1000)
    .toWellFormed();

/** The seven calls of a runner. Each rejects with LeaseLost, Silent or CallRefused. */
export function serviceOf(call: Call, runner: string) {
  const ask = async <S extends z.ZodType>(path: string, body: object, schema: S): Promise<z.output<S>> => {
    const read = schema.safeParse(await call(path, { runner, ...body }));
    if (!read.success) throw new Silent(`the answer to ${path} has another form: ${z.prettifyError(read.error)}`);
    return read.data;
  };
  const Done = z.object({});
  return {
    lease: (most: number) => ask('/v1/lease', { most }, Leases),
    heartbeat: (places: readonly Place[]) => ask('/v1/heartbeat', { deployments: places.map(placeOf) }, Kept),
    release: (places: readonly Place[]) => ask('/v1/release', { deployments: places.map(placeOf) }, Done),
    attest: (place: Place, ephemeralPublicKey: string) => ask('/v1/attest', { ...placeOf(place), ephemeralPublicKey }, Attested),
    shares: (place: Place, ephemeralPublicKey: string) => ask('/v1/shares', { ...placeOf(place), ephemeralPublicKey }, Shares),
    report: (place: Place, ephemeralPublicKey: string, state: State, problem = '') =>
      ask('/v1/report', { ...placeOf(place), ephemeralPublicKey, state, problem: shown(problem) }, Done),
    /** There is no ephemeral key any more, and `problem` says why the deployment does not start. */
    failed: (place: Place, problem: string) =>
      ask('/v1/report', { ...placeOf(place), state: 'failed', problem: shown(problem) }, Done),
    logs: (place: Place, lines: readonly Line[]) => ask('/v1/logs', { ...placeOf(place), lines }, Done),
  };
}

export type Service = ReturnType<typeof serviceOf>;
