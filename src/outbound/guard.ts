import { Unreachable } from '../base/errors.ts';
import type { Allowed } from './allowed.ts';
import { ALLOWED, checkedAddresses, RESOLVE, type Rules } from './check.ts';
import { deadline } from './deadline.ts';
import { type Exchanged, exchange, type Sending, send as sendTo } from './exchange.ts';
import { placesOf, type Shares } from './places.ts';
import { postOnce } from './post-once.ts';
import {
  type AddressProblem,
  type Calls,
  type Download,
  type FetchDocument,
  NoPlaceError,
  type OnBehalf,
  OutboundError,
  type Post,
  statusMayPass,
} from './types.ts';
import { until } from './until.ts';

export type Bounds = Shares & {
  /** For the whole: names, connections, redirects, answers. */
  milliseconds: number;
  bytes: number;
  redirects: number;
};

/** No payer has all places of a host: many use the same issuers. */
export const BOUNDS: Bounds = {
  all: 64,
  proxies: 32,
  payer: 8,
  host: 16,
  payerAtHost: 4,
  milliseconds: 5000,
  bytes: 262_144,
  redirects: 3,
};

/** Users of one application sign in at one provider, and only that application chose its address. */
export const PROVIDER_BOUNDS: Partial<Bounds> = {
  all: 256,
  proxies: 128,
  payer: 64,
  host: 256,
  payerAtHost: 64,
  milliseconds: 10_000,
  bytes: 65_536,
};

/** The worker that delivers webhooks bounds its requests by endpoint and by payer. These bounds are above its own. */
export const WEBHOOK_BOUNDS: Bounds = {
  all: 1024,
  proxies: 0,
  payer: 1024,
  host: 1024,
  payerAtHost: 1024,
  milliseconds: 10_000,
  bytes: 65_536,
  redirects: 0,
};

/** Each takes a fraction of a second, and requests without a captcha do not wait for them. */
export const CAPTCHA_BOUNDS: Partial<Bounds> = { ...PROVIDER_BOUNDS, milliseconds: 5000 };

type Parts = {
  allowed: Allowed;
  bounds?: Partial<Bounds>;
  resolve?: Rules['resolve'];
  /** Certificate authorities in place of those of Node.js. */
  ca?: string | undefined;
  /** Posts use the connection of an earlier one to the same host and addresses. */
  reuses?: boolean;
};

const LONGEST_URL = 2048;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const refused = (message: string) => new OutboundError(message, { mayPass: false });

function parse(text: string, base?: URL): URL {
  const url = text.length <= LONGEST_URL ? URL.parse(text, base?.href) : null;
  if (url === null) throw refused('its address is not a URL');
  if (url.username !== '' || url.password !== '') throw refused('its address has a user name or password');
  return url;
}

/** Throws for an address that must not be asked. Connections go to the addresses that were checked. */
async function checked(url: URL, rules: Rules, signal: AbortSignal) {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && rules.allowed.has(`${url.hostname}:${port}`)))
    throw refused(`${url.host} must be called over https${ALLOWED}`);
  return { url, addresses: await checkedAddresses({ hostname: url.hostname, port, shown: url.host }, rules, signal) };
}

function documentOf({ status, body }: Exchanged, url: URL): Buffer {
  if (status === 200) return body;
  throw new OutboundError(`${url.host} answered with status ${status}`, { mayPass: statusMayPass(status) });
}

/** The error of a request that failed on the way. Details of the system are not shown. */
function asOutboundError(error: unknown, host: string): OutboundError {
  if (error instanceof OutboundError) return error;
  return new OutboundError(`${host} could not be reached`, { mayPass: true });
}

/** The shared guard of documents and calls: checked addresses, a place, and a time limit. */
function guardOf({ allowed, bounds, resolve, ca }: Parts) {
  const most = { ...BOUNDS, ...bounds };
  const places = placesOf(most);
  const rules = { allowed, resolve: resolve ?? RESOLVE };
  return {
    most,
    ca,
    check: (url: URL, signal: AbortSignal) => checked(url, rules, signal),
    async send(url: URL, signal: AbortSignal, more: { sending?: Sending; readsAll?: boolean } = {}): Promise<Exchanged> {
      return exchange(await checked(url, rules, signal), { signal, maxBytes: most.bytes, ca, ...more });
    },
    /** Runs work that asks this host, in one place. After `end` it has no time limit. */
    async within<T>(
      url: URL,
      { payer, signal: given }: OnBehalf,
      work: (signal: AbortSignal, end: () => void) => Promise<T>,
    ): Promise<T> {
      const giveBack = places(payer, url.hostname);
      if (giveBack === undefined) throw new NoPlaceError();
      const { signal, end } = deadline(most.milliseconds, given);
      try {
        return await until(signal, work(signal, end));
      } catch (error) {
        throw asOutboundError(error, url.host);
      } finally {
        end();
        giveBack();
      }
    },
  };
}

/**
 * Fetches documents whose addresses come from requests: over https, and only from public addresses, unless the operator allowed the
 * host. Addresses that the operator configures do not come this way.
 */
export function guarded(parts: Parts): FetchDocument {
  const { most, send, within } = guardOf(parts);

  async function follow(first: URL, signal: AbortSignal): Promise<Buffer> {
    let url = first;
    for (let hop = 0; hop <= most.redirects; hop++) {
      const answer = await send(url, signal);
      if (!REDIRECTS.has(answer.status) || answer.location === undefined) return documentOf(answer, url);
      url = parse(answer.location, url);
    }
    throw refused(`${first.host} redirects more than ${most.redirects} times`);
  }

  return async (text, onBehalf) => {
    const url = parse(text);
    return within(url, onBehalf, (signal) => follow(url, signal));
  };
}

/** The same rules for addresses that are only stored now. */
export function addressProblems(parts: Parts): AddressProblem {
  const { check, within } = guardOf(parts);
  return async (text, onBehalf) => {
    try {
      const url = parse(text);
      await within(url, onBehalf, (signal) => check(url, signal));
      return undefined;
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (error.mayPass) throw new Unreachable(`the address in this request cannot be checked now: ${error.message}`);
      return error.message;
    }
  };
}

/** Requests to an application’s identity provider, under the same rules. No redirect is followed: they carry secrets. */
export function guardedCalls(parts: Parts): Calls {
  const { send, within } = guardOf(parts);
  return async (base, onBehalf, work) =>
    within(parse(base), onBehalf, (signal) =>
      work(({ path, ...sending }) => send(parse(`${base}${path}`), signal, { sending, readsAll: true })),
    );
}

/** Posts to an address that a request brought, under the same rules. A redirect is an answer like any other. */
export function guardedPosts(parts: Parts): Post {
  const { check, within, ca, most } = guardOf(parts);
  const { reuses = false } = parts;
  return async (text, onBehalf, sending) => {
    const url = parse(text);
    return within(url, onBehalf, async (signal, end) => {
      const options = { signal, ca, reuses, maxBytes: most.bytes, sending: { method: 'POST' as const, ...sending } };
      return postOnce(await check(url, signal), options, end);
    });
  };
}

/**
 * Reads an answer of any size as it comes, under the same rules. Each redirect is checked like the first address. Another origin gets
 * no `authorization`.
 */
export function guardedDownloads(parts: Parts): Download {
  const { check, within, ca, most } = guardOf(parts);
  return async (text, onBehalf, headers, use) => {
    const first = parse(text);
    return within(first, onBehalf, async (signal) => {
      let url = first;
      let given = headers;
      for (let hop = 0; hop <= most.redirects; hop++) {
        const answer = await sendTo(await check(url, signal), {
          ...{ signal, ca, maxBytes: most.bytes },
          sending: { method: 'GET', headers: given },
        });
        try {
          const status = answer.statusCode ?? 0;
          const { location } = answer.headers;
          if (!REDIRECTS.has(status) || location === undefined)
            return await use({ status, challenge: answer.headers['www-authenticate'], body: answer });
          const next = parse(location, url);
          if (next.origin !== url.origin) given = withoutAuthorization(given);
          url = next;
        } finally {
          answer.destroy();
        }
      }
      throw refused(`${first.host} redirects more than ${most.redirects} times`);
    });
  };
}

const withoutAuthorization = ({ authorization: _, ...rest }: Readonly<Record<string, string>>) => rest;
