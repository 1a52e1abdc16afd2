import { ApiError } from '../base/errors.ts';
import type { ActivityKind, ActivityVersion } from '../engine/activity/declare.ts';
import { withoutAmounts } from '../engine/decision/velocity-denial.ts';
import type { Engine } from '../engine/engine.ts';
import { submit } from '../engine/submit/submit.ts';
import type { AuthProxyConfig } from '../model/auth-proxy.ts';
import type { EnabledProxy } from './find-config.ts';

/** The result in the shape of the type that was submitted. */
export type ProxyResult = { result: Record<string, unknown>; activityId: string };

function kindOf({ decisions }: Engine, type: string): { kind: ActivityKind; version: ActivityVersion } {
  for (const kind of decisions.kinds) {
    const version = kind.versions.get(type);
    if (version !== undefined) return { kind, version };
  }
  throw new Error(`${type} is no type of activity`);
}

/** The proxy was switched off after the configuration was read. */
const switchedOff = () => new ApiError('NOT_FOUND', 'no auth proxy found: it was switched off');

function stampOf({ vault }: Engine, { organizationId, keyId, publicKey, sealedKey }: AuthProxyConfig, body: Buffer): string {
  if (keyId === null || publicKey === null || sealedKey === null) throw switchedOff();
  const signature = vault.proxy.stampAsProxy({ organizationId, id: keyId, sealed: sealedKey }, body);
  return Buffer.from(JSON.stringify({ publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature })).toString('base64url');
}

const BY_POLICIES = 'type.googleapis.com/errors.v1.PolicyEnginePermissionError';

/** The proxy's caller does not know the activity, so errors name the fields of the caller's request. */
function inTheirWords(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  if (error.code === 'PUBLIC_KEY_NOT_FOUND') throw switchedOff();
  // The policies of an organization are not public.
  if (error.details.some((detail) => detail['@type'] === BY_POLICIES))
    throw new ApiError('REQUEST_NOT_AUTHORIZED', 'request not authorized: a policy of the organization denies this request');
  const shown = withoutAmounts(error);
  if (shown !== error) throw shown;
  throw error.renamed((text) =>
    text.replaceAll(/\bparameters\.(?:rootUsers\[0\](?:\.|: |$))?/g, '').replaceAll('subOrganizationName', 'organizationName'),
  );
}

/**
 * Submits an activity as the proxy's user, with a stamp by the proxy's key. Its record can be verified like any other. Throws
 * the engine's errors, also the failure of an activity that ends FAILED.
 */
export async function proxySubmit(
  engine: Engine,
  { organization, config }: EnabledProxy,
  type: string,
  parameters: object,
  organizationId: string = organization.id,
): Promise<ProxyResult> {
  const { kind, version } = kindOf(engine, type);
  const timestampMs = String(engine.machine.now());
  // The nonce is not part of the interface. Two callers may send the same request in one millisecond, and each gets an
  // activity.
  const nonce = engine.ids.next();
  const body = Buffer.from(JSON.stringify({ type, timestampMs, organizationId, parameters, nonce }));
  const stamp = stampOf(engine, config, body);
  const { json, activityId } = await submit({ ...engine, strictInput: false, stamped: undefined }, kind, body, { stamp }).catch(
    inTheirWords,
  );
  const { activity } = JSON.parse(json) as { activity: { result: Record<string, Record<string, unknown>> } };
  const result = activity.result[version.result.key];
  if (result === undefined) throw new Error(`${type} of the auth proxy has no result: ${activityId}`);
  return { result, activityId };
}
