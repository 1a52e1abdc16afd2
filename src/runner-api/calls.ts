import { z } from 'zod';
import { validate } from '../engine/request/body.ts';
import { Id } from '../wire/common.ts';
import { TwoPublicKeys } from '../wire/tvc.ts';
import { heartbeat, lease, release } from './leases.ts';
import { addLogs } from './logs.ts';
import type { Parts } from './parts.ts';
import { attest, REPORTS, report, shares } from './provisioning.ts';

/** A name that a runner gives itself when it starts. */
const runner = Id;
const key = { organizationId: Id, deploymentId: Id };
const named = { runner, ...key };
const ephemeralPublicKey = TwoPublicKeys;
const deployments = z.array(z.strictObject(key)).max(256);

const LogLine = z.strictObject({ at: z.int().min(0), text: z.string().max(16_384) });

/** Without control characters, which PostgreSQL may refuse. */
const Problem = z
  .string()
  .max(1000)
  .regex(/^\P{Cc}*$/u);

const Report = z.discriminatedUnion('state', [
  z.strictObject({ ...named, ephemeralPublicKey, state: z.enum(REPORTS), problem: Problem }),
  z.strictObject({ ...named, state: z.literal('failed'), problem: Problem }),
]);

type Call = (parts: Parts, body: unknown) => Promise<object>;

const call =
  <S extends z.ZodType>(schema: S, run: (parts: Parts, body: z.output<S>) => Promise<object>): Call =>
  (parts, body) =>
    run(parts, validate(schema, body, ''));

/** All that a runner may ask for. It names itself and deployments that it leases, and learns nothing of others. */
export const calls: ReadonlyMap<string, Call> = new Map([
  ['/v1/lease', call(z.strictObject({ runner, most: z.int().min(1).max(16) }), lease)],
  ['/v1/heartbeat', call(z.strictObject({ runner, deployments }), heartbeat)],
  ['/v1/release', call(z.strictObject({ runner, deployments }), release)],
  ['/v1/attest', call(z.strictObject({ ...named, ephemeralPublicKey }), attest)],
  ['/v1/shares', call(z.strictObject({ ...named, ephemeralPublicKey }), shares)],
  ['/v1/report', call(Report, report)],
  ['/v1/logs', call(z.strictObject({ ...named, lines: z.array(LogLine).min(1).max(1000) }), addLogs)],
]);
