import { resolve } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { type Config, consoleUrl } from '../../config.ts';
import type { Read } from '../../http/answer.ts';
import { type PackedFile, readPacked } from '../../http/packed.ts';
import { readPage } from '../../http/pages.ts';
import type { ConsoleLogins, ConsoleSettings } from '../../settings/console.ts';
import { type BuiltConsole, buildIn, type ConsoleFile, consoleIn, HASHED, INDEX } from './built.ts';
import { headersOf, policyOf } from './headers.ts';
import { waiting } from './waiting.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const FIRST = '/console/';
/** Mailed links lead there, as before there was a console. */
const INVITATION_PATH = '/accept-invitation';
const JOIN = '/console/join';
const SERVICE = 'service.json';

type Files = ReadonlyMap<string, Read>;
type Loaded = { files: Files; before: Files };

const bytesOf = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text, 'base64'));

const packedOf = ({ type, plain, gzip, br }: ConsoleFile, headers: PackedFile['headers']): PackedFile => ({
  type,
  headers,
  plain: Buffer.from(plain, 'base64'),
  gzip: bytesOf(gzip),
  br: bytesOf(br),
});

/** What the page must know of the service before its first request. `elsewhere`: the service has another origin than the page. */
type AboutService = { url: string; elsewhere: boolean } & Partial<ConsoleLogins>;

const serviceFile = (about: AboutService, headers: PackedFile['headers']): Read =>
  readPage({ path: FIRST + SERVICE, type: 'application/json', headers, text: () => JSON.stringify(about) });

function readsOf({ files, styles }: BuiltConsole, about: AboutService): Files {
  const policy = policyOf({ styles, service: about.elsewhere ? new URL(about.url).origin : undefined });
  const reads = Object.entries(files).map(([path, file]): [string, Read] => [
    path,
    readPacked(packedOf(file, headersOf(policy, path.startsWith(HASHED)))),
  ]);
  return new Map([...reads, [SERVICE, serviceFile(about, headersOf(policy, false))]]);
}

/** The last part of a page's path has no dot, and that of a file has. */
const isFile = (path: string): boolean => path.startsWith(HASHED) || /\.[^/]*$/.test(path);

const redirect =
  (location: string): Read =>
  (_request, response) =>
    void response.writeHead(302, { location, 'cache-control': 'no-cache', 'content-length': 0 }).end();

/**
 * The file or page of a path of the console. Undefined: there is none. The files are in memory from the first request on. They are read again when
 * set-up has put other ones in place. Files of the build before stay: a page that is open may still load them.
 */
export function consoleAt(
  config: Pick<Config, 'baseUrl'> & { console: Pick<ConsoleSettings, 'at'> & Partial<ConsoleLogins> },
  clock: Clock,
  root = ROOT,
): (path: string) => Read | undefined {
  const { at, authProxy, oidcUrl } = config.console;
  const about: AboutService = { url: config.baseUrl, elsewhere: at !== undefined, authProxy, oidcUrl };
  const wait = waiting(root, clock);
  let seen: string | undefined;
  let loaded: Loaded | undefined;
  const opened = (): Loaded | undefined => {
    const build = buildIn(root);
    if (build === undefined || build === seen) return loaded;
    seen = build;
    const built = consoleIn(root);
    if (built !== undefined) loaded = { files: readsOf(built, about), before: loaded?.files ?? new Map() };
    return loaded;
  };
  return (path) => {
    if (path === '/console') return redirect(FIRST);
    // The part of a link after # goes with it. Invited people may not reach an origin of its own.
    if (path === INVITATION_PATH) return at === undefined && opened()?.files.has(INDEX) ? redirect(JOIN) : undefined;
    if (!path.startsWith(FIRST)) return undefined;
    const name = path.slice(FIRST.length);
    const files = opened();
    if (isFile(name)) return files?.files.get(name) ?? files?.before.get(name);
    return files?.files.get(INDEX) ?? wait;
  };
}

/** What `/` answers: it leads to the console of the same origin, or to that of another. */
export const home = redirect(FIRST);
export const homeElsewhere = (config: Config): Read => redirect(consoleUrl(config));
