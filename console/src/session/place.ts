/** What this address and browser can do. */

const isIp = (host: string): boolean => /^[\d.]+$|:/.test(host.replace(/^\[|\]$/g, ''));

/** Why no key and no passkey works here. Undefined if they can. */
export const notSecure = (): string | undefined =>
  isSecureContext
    ? undefined
    : 'Signing in needs https. The operator sets BASE_URL to an https address with a name: open that one.';

/** Why passkeys cannot work here, and what to do. Undefined if they can. */
export function noPasskeys(): string | undefined {
  const { hostname, port, pathname } = location;
  if (!isSecureContext) return notSecure();
  if (isIp(hostname)) {
    const local = ['127.0.0.1', '[::1]'].includes(hostname);
    if (!local)
      return 'Passkeys need a name, and this address is a number. The operator sets BASE_URL to an https address with a name.';
    const start = `http://localhost${port && `:${port}`}`;
    const why = `Passkeys need a name, and ${hostname} is a number.`;
    // The part of a link after # has left the address.
    if (/\/(enrol|join)$/.test(pathname)) return `${why} Open the whole link again, with ${start} at its beginning.`;
    return `${why} Open ${start}${pathname} instead.`;
  }
  if (!('PublicKeyCredential' in globalThis)) return 'This browser has no passkeys. Use another browser, or a key.';
  return undefined;
}
