/** What this address and browser can do. */

const isIp = (host: string): boolean => /^[\d.]+$|:/.test(host.replace(/^\[|\]$/g, ''));

/** Why passkeys cannot work here, and what to do. Undefined if they can. */
export function noPasskeys(): string | undefined {
  const { hostname, port, pathname } = location;
  if (isIp(hostname)) {
    const local = ['127.0.0.1', '[::1]'].includes(hostname);
    return local
      ? `Passkeys need a name, and ${hostname} is a number. Open http://localhost${port && `:${port}`}${pathname} instead.`
      : 'Passkeys need a name, and this address is a number. The operator sets BASE_URL to an https address with a name.';
  }
  if (!isSecureContext) return 'Passkeys need https. The operator sets BASE_URL to an https address.';
  if (!('PublicKeyCredential' in globalThis)) return 'This browser has no passkeys. Use another browser, or a key.';
  return undefined;
}
