import type { z } from 'zod';
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
  /** Where the request comes from. Undefined if its connection is gone. */
  address: string | undefined;
  /** With which pages make captcha tokens. Undefined if this service has no captcha. */
  captchaSiteKey: string | undefined;
  /**
   * Carries out an activity as the proxy's user, in the organization unless another one is named. `type`: with its version, such as
   * ACTIVITY_TYPE_INIT_OTP_V3. Throws the activity's ApiError, also for one that ended FAILED.
   */
  submit(type: string, parameters: object, organizationId?: string): Promise<ProxyResult>;
};

export type ProxySpec<Params extends z.ZodType, Result extends z.ZodType> = {
  /** Such as /v1/otp_init. */
  path: `/v1/${string}`;
  summary: string;
  params: Params;
  result: Result;
  /** Asks for a captcha token where the configuration says so, unless `params` has a `verificationToken` that is in force. */
  captcha?: true;
  /** How often somebody may ask: counted once the request is well formed, before its captcha is looked at. Throws RATE_LIMIT_EXCEEDED. */
  limit?(stranger: Stranger): Promise<void>;
  /** The request may have no body at all, which stands for {}. */
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
  limit: ((stranger: Stranger) => Promise<void>) | undefined;
  run(ctx: ProxyContext, params: unknown): Promise<unknown>;
};

/** Something that browsers may ask for without a stamp, for an application whose configuration they name. */
export function proxyEndpoint<Params extends z.ZodType, Result extends z.ZodType>(
  spec: ProxySpec<Params, Result>,
): ProxyEndpoint {
  return {
    ...spec,
    name: spec.path.slice('/v1/'.length),
    captcha: spec.captcha ?? false,
    bodyless: spec.bodyless ?? false,
    limit: spec.limit,
    run: spec.run as ProxyEndpoint['run'],
  };
}
