import type { z } from 'zod';
import type { ErrorCode } from '../base/errors.ts';
import type { Stranger } from '../domain/limits/unstamped.ts';
import type { Engine } from '../engine/engine.ts';
import type { AuthProxyConfig } from '../model/auth-proxy.ts';
import type { Organization } from '../model/organization.ts';
import type { ProxyResult } from './submit.ts';

export type ProxyContext = {
  engine: Engine;
  /** The top-level organization whose configuration the request names. */
  organization: Organization;
  config: AuthProxyConfig;
  now: number;
  /** The address of the request. Undefined if its connection is closed. */
  address: string | undefined;
  /** The key with which pages make captcha tokens. Undefined if this service has no captcha. */
  captchaSiteKey: string | undefined;
  /**
   * Carries out an activity as the proxy's user, in the proxy's organization unless another one is named. `type`: with its
   * version, such as ACTIVITY_TYPE_INIT_OTP_V3. Throws the activity's ApiError, also for an activity that ended FAILED.
   */
  submit(type: string, parameters: object, organizationId?: string): Promise<ProxyResult>;
};

export type ProxySpec<Params extends z.ZodType, Result extends z.ZodType> = {
  /** Such as /v1/otp_init. */
  path: `/v1/${string}`;
  summary: string;
  params: Params;
  result: Result;
  /** Requires a captcha token if the configuration says so, unless `params` has a valid `verificationToken`. */
  captcha?: true;
  /**
   * The rate limit of the endpoint. A request counts once it is well formed, before its captcha is checked. Throws
   * RATE_LIMIT_EXCEEDED.
   */
  limit?(stranger: Stranger): Promise<void>;
  /** The types of activities that `run` may submit. Their errors are the endpoint's too. */
  submits?: readonly `ACTIVITY_TYPE_${string}`[];
  /** Further codes, beside those that any request may get. */
  errors?: readonly ErrorCode[];
  /** The request may have no body at all, which means {}. */
  bodyless?: true;
  run(ctx: ProxyContext, params: z.output<Params>): Promise<z.output<Result>>;
};

/** A declared endpoint with its types erased. */
export type ProxyEndpoint = {
  path: string;
  /** The last part of its path. */
  name: string;
  summary: string;
  params: z.ZodType;
  result: z.ZodType;
  captcha: boolean;
  bodyless: boolean;
  submits: readonly string[];
  errors: readonly ErrorCode[];
  limit: ((stranger: Stranger) => Promise<void>) | undefined;
  run(ctx: ProxyContext, params: unknown): Promise<unknown>;
};

/** An endpoint that browsers may call without a stamp, for an application whose configuration they name. */
export function proxyEndpoint<Params extends z.ZodType, Result extends z.ZodType>(
  spec: ProxySpec<Params, Result>,
): ProxyEndpoint {
  return {
    ...spec,
    name: spec.path.slice('/v1/'.length),
    captcha: spec.captcha ?? false,
    bodyless: spec.bodyless ?? false,
    submits: spec.submits ?? [],
    errors: spec.errors ?? [],
    limit: spec.limit,
    run: spec.run as ProxyEndpoint['run'],
  };
}
