import { ApiError } from '../base/errors.ts';
import { UUID } from '../base/ids.ts';
import type { Engine } from '../engine/engine.ts';
import type { Trace } from '../engine/ports.ts';
import { parseBody, validate } from '../engine/request/body.ts';
import { noteIgnored, unknownMembers } from '../engine/request/unknown-members.ts';
import { ANY_ORIGIN, type AuthProxyConfig } from '../model/auth-proxy.ts';
import { badHeader } from './bad-header.ts';
import { type Captcha, checkCaptcha } from './captcha.ts';
import type { ProxyContext, ProxyEndpoint } from './declare.ts';
import { type EnabledProxy, findConfig } from './find-config.ts';
import { proxySubmit } from './submit.ts';

/** The data from a request's headers. */
export type ProxyRequest = {
  configId: string | undefined;
  /** Browsers send it; other clients do not. */
  origin: string | undefined;
  captchaToken: string | undefined;
  address: string | undefined;
};

export type AuthProxy = {
  endpoints: readonly ProxyEndpoint[];
  /** Throws REQUEST_INVALID, and NOT_FOUND for a configuration that is unknown or switched off. */
  find(request: ProxyRequest): Promise<EnabledProxy>;
  /** Throws the endpoint's errors. Answers as JSON text. */
  run(endpoint: ProxyEndpoint, application: EnabledProxy, request: ProxyRequest, body: Buffer, trace: Trace): Promise<string>;
};

const CONFIG_HEADER = 'X-Auth-Proxy-Config-ID';

/** Whether a page of this origin may call. Programs other than browsers send none. */
export function allows({ settings }: AuthProxyConfig, origin: string | undefined): boolean {
  const { allowedOrigins } = settings;
  return origin === undefined || allowedOrigins.includes(ANY_ORIGIN) || allowedOrigins.includes(origin);
}

const unknown = () => new ApiError('NOT_FOUND', `no auth proxy found: ${CONFIG_HEADER} names no enabled configuration`);

/** The activity's kind, without its version. */
const kindOf = (type: string): string => type.replace(/^ACTIVITY_TYPE_/, '').replace(/_V\d+$/, '');

type Around = {
  captcha: Captcha;
  /** Called for each activity that was carried out. */
  carriedOut(kind: string): void;
};

export function authProxy(engine: Engine, { captcha, carriedOut }: Around, endpoints: readonly ProxyEndpoint[]): AuthProxy {
  return {
    endpoints,
    async find({ configId }) {
      if (configId === undefined) throw badHeader(CONFIG_HEADER, 'header is required: the id of the auth proxy configuration');
      if (!UUID.test(configId)) throw badHeader(CONFIG_HEADER, 'header must be a UUID');
      const found = await findConfig(engine, configId.toLowerCase());
      if (found === undefined) throw unknown();
      return found;
    },
    async run(endpoint, application, request, bytes, trace) {
      trace.organizationId = application.organization.id;
      const body = endpoint.bodyless && bytes.length === 0 ? {} : parseBody(bytes);
      noteIgnored(trace, unknownMembers(endpoint.params, body, ''), engine.strictInput);
      const params = validate(endpoint.params, body, '');
      const ctx: ProxyContext = {
        engine,
        ...application,
        now: engine.clock.now(),
        address: request.address,
        captchaSiteKey: captcha.port?.siteKey,
        async submit(type, parameters, organizationId) {
          if (!endpoint.submits.includes(type)) throw new Error(`${endpoint.name} does not declare that it submits ${type}`);
          trace.type = type;
          const submitted = await proxySubmit(engine, application, type, parameters, organizationId);
          trace.activityId = submitted.activityId;
          carriedOut(kindOf(type));
          return submitted;
        },
      };
      await endpoint.limit?.(ctx);
      if (endpoint.captcha) await checkCaptcha(ctx, captcha, request.captchaToken, params);
      return JSON.stringify(await endpoint.run(ctx, params));
    },
  };
}
