import { resolve } from 'node:path';
import { ApiError } from '../base/errors.ts';
import type { StaticPage } from '../http/pages.ts';
import type { FrameName, FrameSettings } from '../settings/frames.ts';
import type { BuiltPages } from './built-pages.ts';
import { framesIn } from './frames-built.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FRAMES_PATH = '/frames/';

/** The paths of a page, and the file that each has. */
const PATHS: Readonly<Record<FrameName, readonly string[]>> = {
  export: ['export'],
  import: ['import'],
  auth: ['auth', 'recovery'],
  sign: ['sign'],
};

const headersFor = (origins: readonly string[]): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    `frame-ancestors ${origins.join(' ')}`,
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // Other sites of this host then have another process.
  'origin-agent-cluster': '?1',
  'cache-control': 'no-cache',
});

/** Both lists are hex and origins, which need no escaping. */
const filled = (html: string, signers: readonly string[], origins: readonly string[]): string =>
  html.replace('<body>', () => `<body data-signers="${signers.join(' ')}" data-origins="${origins.join(' ')}">`);

const notBuilt = () =>
  new ApiError(
    'UNAVAILABLE',
    'the frames are not built: run npm run bundle in the folder of the service, and start the service again',
  );

/** The built files by name. A start without frames does not read them. */
export const builtFrames = ({ pages }: FrameSettings): BuiltPages['files'] | undefined =>
  pages.length === 0 ? undefined : framesIn(ROOT);

/** The pages that apps embed. `signers`: the keys, 65 bytes in hex, of which one signs each bundle. */
export function framePages(
  { pages, origins }: Pick<FrameSettings, 'pages' | 'origins'>,
  signers: readonly string[],
  files: BuiltPages['files'] | undefined,
): StaticPage[] {
  if (pages.length === 0) return [];
  const headers = headersFor(origins);
  const page = (path: string, file: string, type: string): StaticPage => ({
    path: FRAMES_PATH + path,
    type: `${type}; charset=utf-8`,
    headers,
    text() {
      const text = files?.[file];
      if (text === undefined) throw notBuilt();
      return file.endsWith('.html') ? filled(text, signers, origins) : text;
    },
  });
  return [
    ...pages.flatMap((name) => [
      ...PATHS[name].map((path) => page(path, `${name}.html`, 'text/html')),
      page(`${name}.js`, `${name}.js`, 'text/javascript'),
    ]),
    page('frames.css', 'frames.css', 'text/css'),
  ];
}
