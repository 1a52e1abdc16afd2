import { hash } from 'node:crypto';
import { isIP } from 'node:net';

/** The host of a web page's origin; undefined for the origin of an app. */
function hostOf(origin: string): string | undefined {
  const url = URL.parse(origin);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.hostname : undefined;
}

/**
 * The ids that a page's relying party can have. These are its host, and each domain above it of two labels or more. Undefined
 * for an app, whose origin does not show its domain.
 */
export function relyingPartyIds(origin: string): string[] | undefined {
  const host = hostOf(origin);
  if (host === undefined) return undefined;
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0) return [host];
  const labels = host.split('.');
  const above = labels.slice(1, -1).map((_, i) => labels.slice(i + 1).join('.'));
  return [host, ...above];
}

/** Whether a page or app may use passkeys of a relying party, by the hash of its id in base64url. */
export function fits(origin: string, rpIdHash: string): boolean {
  const ids = relyingPartyIds(origin);
  return ids === undefined || ids.some((id) => hash('sha256', id, 'base64url') === rpIdHash);
}

/** Whether passkeys of this origin may be used. `allowed` undefined: every origin may. */
export const mayUse = (origin: string, allowed: readonly string[] | undefined): boolean =>
  allowed === undefined || allowed.includes(origin);
