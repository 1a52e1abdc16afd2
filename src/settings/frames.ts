import type { Environment } from './names.ts';
import { demandFreePort, type OwnAddress } from './network.ts';
import { ConfigError, webUrl, whole } from './read.ts';

const FRAME_NAMES = ['export', 'import', 'auth', 'sign'] as const;
export type FrameName = (typeof FRAME_NAMES)[number];

export type FrameSettings = {
  /** Empty: no page may embed any, or FRAMES turns them off. */
  pages: readonly FrameName[];
  /** Sources of a Content-Security-Policy: exact origins, or on a developer's machine all ports of it. */
  origins: readonly string[];
  /** A separate address, instead of PORT. */
  at: OwnAddress | undefined;
  /** Where browsers find them, if that is set. */
  url: string | undefined;
};

const DEFAULT = 'export,import,auth';
const THIS_MACHINE = ['http://localhost:*', 'http://127.0.0.1:*'];
const MOST_ORIGINS = 100;

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/.test(host);
const hostOf = (url: string): string => new URL(url).hostname.replace(/\.$/, '');

function pagesOf(env: Environment): FrameName[] {
  const named = listOf(env.FRAMES || DEFAULT);
  if (named.length === 1 && named[0] === 'none') return [];
  const unknown = named.find((name) => !(FRAME_NAMES as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new ConfigError(`FRAMES must be none, or some of ${FRAME_NAMES.join(', ')}, separated by commas, not "${unknown}"`);
  return FRAME_NAMES.filter((name) => named.includes(name));
}

function addressOf(env: Environment, host: string, port: number): OwnAddress | undefined {
  if (!env.FRAMES_PORT) {
    if (env.FRAMES_HOST) throw new ConfigError('FRAMES_HOST needs FRAMES_PORT: without it, frames are on PORT');
    return undefined;
  }
  const own = whole(env, 'FRAMES_PORT', 0, 0, 65_535);
  demandFreePort('FRAMES_PORT', own, { ...env, PORT: String(port) }, ['PORT', 'METRICS_PORT', 'AUTH_PROXY_PORT']);
  return { host: env.FRAMES_HOST || host, port: own };
}

function originOf(text: string): string {
  if (text.includes('*'))
    throw new ConfigError(`FRAMES_ALLOWED_ORIGINS must name each origin, not "${text}": any page could else embed the frames`);
  // A host may have characters that end a directive of the header, or an attribute of the page.
  if (!URL.canParse(text) || new URL(text).origin !== text || !/^https?:\/\/[\w.:[\]-]+$/.test(text))
    throw new ConfigError(`FRAMES_ALLOWED_ORIGINS must be origins such as https://app.example.com, not "${text}"`);
  if (text.startsWith('http:') && !isLoopback(hostOf(text)))
    throw new ConfigError(`FRAMES_ALLOWED_ORIGINS must not name ${text}: a page without https can be changed on its way`);
  return text;
}

function demandSeparate(at: OwnAddress | undefined, url: string | undefined, baseUrl: string): void {
  const why = 'pages of one origin share its storage, and the service has other pages';
  if (at === undefined) throw new ConfigError(`FRAMES_ALLOWED_ORIGINS needs FRAMES_PORT: ${why}`);
  if (url === undefined)
    throw new ConfigError('FRAMES_ALLOWED_ORIGINS needs FRAMES_URL, the address at which browsers find FRAMES_PORT');
  if (hostOf(url) === hostOf(baseUrl))
    throw new ConfigError(`FRAMES_URL must have another host than BASE_URL, which is ${baseUrl}: ${why}`);
  if (!url.startsWith('https:'))
    throw new ConfigError(`FRAMES_URL must start with https://, not "${url}": browsers have no ciphers for pages without it`);
}

/** The pages that apps embed. Throws ConfigError. */
export function frameSettings(env: Environment, host: string, port: number, baseUrl: string): FrameSettings {
  const pages = pagesOf(env);
  const at = addressOf(env, host, port);
  const url = webUrl(env, 'FRAMES_URL');
  const named = listOf(env.FRAMES_ALLOWED_ORIGINS ?? '').map(originOf);
  if (named.length > MOST_ORIGINS) throw new ConfigError(`FRAMES_ALLOWED_ORIGINS must name at most ${MOST_ORIGINS} origins`);
  const hosts = [host, hostOf(baseUrl), ...(at ? [at.host] : []), ...(url ? [hostOf(url)] : [])];
  const isHere = hosts.every(isLoopback);
  if (named.length > 0 && !isHere) demandSeparate(at, url, baseUrl);
  if (url !== undefined && named.includes(new URL(url).origin))
    throw new ConfigError('FRAMES_ALLOWED_ORIGINS must not name the origin of FRAMES_URL: nothing would separate app and frame');
  const origins = named.length > 0 ? named : isHere ? THIS_MACHINE : [];
  return { pages: origins.length > 0 ? pages : [], origins, at, url };
}

export const shownFrames = ({ pages, origins, at, url }: FrameSettings): Record<string, unknown> => ({
  FRAMES: pages.join(',') || 'none',
  FRAMES_ALLOWED_ORIGINS: origins.join(',') || '(unset: no page may embed frames)',
  FRAMES_HOST: at?.host ?? '(unset)',
  FRAMES_PORT: at?.port ?? '(unset: frames are on PORT)',
  FRAMES_URL: url ?? '(unset)',
});
