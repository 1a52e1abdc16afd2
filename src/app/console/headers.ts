/** The headers of the console's files. */

export type Origins = {
  /** Style elements of a library: see BuiltConsole. */
  styles: readonly string[];
  /** The origin of the service, if the console has another. */
  service: string | undefined;
};

const SHARED = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // Pages of other origins can neither hold a window of the console nor load its files.
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

export const policyOf = ({ styles, service }: Origins): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", ...styles].join(' '),
    `connect-src 'self'${service === undefined ? '' : ` ${service}`}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

/** `hashed`: the name of the file changes with its content. */
export const headersOf = (policy: string, hashed: boolean): Record<string, string> => ({
  ...SHARED,
  'content-security-policy': policy,
  'cache-control': hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
});

/** Of the page that is shown until the console is built. It reloads itself, without a script. */
export const WAITING_HEADERS: Readonly<Record<string, string>> = {
  ...SHARED,
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
};
