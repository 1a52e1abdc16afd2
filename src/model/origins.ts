/** An Android app: the hash of the key that signed it. */
const ANDROID = /^android:apk-key-hash:[\w-]{43}$/;

const HOST = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/;

const isLocal = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

/** An origin in the form that browsers write into a passkey's signed data. Undefined if no passkey can have this origin. */
export function normalOrigin(text: string): string | undefined {
  if (ANDROID.test(text)) return text;
  // A URL parser would ignore white space.
  const url = /^[!-~]+$/.test(text) ? URL.parse(text) : null;
  if (url === null || !HOST.test(url.hostname) || url.href !== `${url.origin}/`) return undefined;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal(url.hostname)) ? url.origin : undefined;
}

const SEPARATOR = ',';

/** Origins as the value of FEATURE_NAME_WEBAUTHN_ORIGINS. */
export const writeOrigins = (origins: readonly string[]): string => [...new Set(origins)].join(SEPARATOR);

/** The origins in a submitted value, separated by commas or spaces, and the first text that is no origin. */
export function parseOrigins(value: string): { origins: string[]; wrong: string | undefined } {
  const texts = value.split(/[\s,]+/);
  const origins = texts.map(normalOrigin);
  return { origins: origins.filter((origin) => origin !== undefined), wrong: texts.find((_, i) => origins[i] === undefined) };
}
