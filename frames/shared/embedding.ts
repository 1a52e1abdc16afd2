/// <reference lib="dom" />
/** Who may embed this page, as the service wrote it into the page: exact origins, or `http://localhost:*`. */
const listed = (name: string): readonly string[] => (document.body.dataset[name] ?? '').split(' ').filter((text) => text !== '');

/** The public keys, 65 bytes in hex, of which one signs each bundle. */
export const signers = (): readonly string[] => listed('signers');

const isListed = (origin: string): boolean =>
  listed('origins').some((one) => (one.endsWith(':*') ? /^:\d+$/.test(origin.replace(one.slice(0, -2), '')) : one === origin));

function sharesOrigin(other: Window): boolean {
  try {
    return other.document !== null;
  } catch {
    return false;
  }
}

/** Why this page must hold no secret where it is, or undefined. */
export function misplaced(): string | undefined {
  if (window.parent === window)
    return 'This page is for an app that shows it in an iframe. It does nothing when it is opened alone.';
  if (window.parent !== window.top)
    return 'This page works only in an iframe of an app’s own page, and this page is in another iframe.';
  if (window.origin === 'null') return 'The sandbox of this iframe must allow its own origin: allow-scripts allow-same-origin.';
  if (sharesOrigin(window.parent))
    return 'The app has the same origin as this page, so nothing separates them. Serve one of them elsewhere.';
  if (!isSecureContext) return 'This page needs https, or localhost.';
  return undefined;
}

/** Why this parent gets nothing, or undefined. The header `frame-ancestors` says the same, unless a proxy removed it. */
export const unlisted = (origin: string): string | undefined =>
  isListed(origin)
    ? undefined
    : 'The origin of this app is not one that may embed this page: FRAMES_ALLOWED_ORIGINS must name it.';
