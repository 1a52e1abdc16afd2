/** What people typed or were given in the console, and the places in which none of it may be. */
import type { Page, Request, Response } from 'playwright-core';
import { ROOT } from '../../../scripts/bundle-place.ts';
import { consoleIn } from '../../../src/app/console/built.ts';
import type { Output } from '../../../src/app/log/output.ts';

export type Secrets = {
  /** The service's log. */
  output: Output;
  /** Notes a private key, a code, a token, or the address of a link. */
  note(...texts: string[]): void;
  /** Further text that may have no secret. */
  search(place: string, text: string): void;
  /** Notes the tokens that a page is answered, and reads the addresses that it asks for. */
  watch(page: Page): void;
  /** Reads what the browser keeps of a page, before the page is closed. */
  leave(page: Page): Promise<void>;
  /** Each as `the place has the beginning of the secret`. */
  found(): string[];
};

const TOKEN = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const TICKET = /"ticket":"([^"]+)"/;

/** The parts of a link after `#` that are secret. */
function* inLink(link: string): Generator<string> {
  const fragment = new URL(link).hash.slice(1);
  if (fragment === '') return;
  yield fragment;
  const { secret } = Object.fromEntries(new URLSearchParams(fragment));
  if (secret) yield secret;
  else yield JSON.parse(Buffer.from(fragment, 'base64url').toString()).apiPrivateKey;
}

const bundle = (): string =>
  Object.values(consoleIn(ROOT)!.files)
    .map(({ plain }) => Buffer.from(plain, 'base64').toString('latin1'))
    .join('\n');

export function secretsOf(): Secrets {
  const secrets = new Set<string>();
  /** The address of a stream has its ticket, which works once. */
  const tickets = new Set<string>();
  const places = new Map<string, string>();
  const search: Secrets['search'] = (place, text) => void places.set(place, `${places.get(place) ?? ''}${text}\n`);
  const reading: Promise<void>[] = [];
  const redirected = (answer: Response) => {
    // A provider sends the window back with a token.
    for (const [token] of (answer.headers().location ?? '').matchAll(TOKEN)) secrets.add(token);
  };
  const read = async (request: Request) => {
    if (!/^\/(?:public\/)?v1\//.test(new URL(request.url()).pathname)) return;
    // A page may be closed before its answer is read.
    const answer = await request.response().catch(() => null);
    const text = (await answer?.text().catch(() => '')) ?? '';
    for (const [token] of text.matchAll(TOKEN)) secrets.add(token);
    const [, ticket] = TICKET.exec(text) ?? [];
    if (ticket) tickets.add(ticket);
  };
  return {
    output: {
      write(block, done) {
        search('the log', block.toString());
        done(null);
      },
      last: (block) => search('the log', block.toString()),
    },
    note(...texts) {
      for (const text of texts) for (const one of text.startsWith('http') ? inLink(text) : [text]) secrets.add(one);
    },
    search,
    watch(page) {
      page.on('request', (request) => search('an address', `${request.url().split('#')[0]} ${request.headers().referer ?? ''}`));
      page.on('response', redirected);
      // Streams, and requests that a navigation ended, have no end of their own.
      page.on('requestfinished', (request) => void reading.push(read(request)));
    },
    async leave(page) {
      const kept = await page.evaluate(
        () =>
          new Promise<string>((done) => {
            const opened = indexedDB.open('countersign.console');
            opened.onerror = opened.onblocked = () => done('nothing could be read');
            opened.onsuccess = () => {
              const { result } = opened;
              const shown = (rows: unknown) =>
                done(JSON.stringify([rows, { ...localStorage }, { ...sessionStorage }, history.state]));
              if (!result.objectStoreNames.contains('kept')) shown([]);
              else {
                const all = result.transaction('kept').objectStore('kept').getAll();
                all.onsuccess = () => shown(all.result);
              }
              result.close();
            };
          }),
      );
      search('the browser', kept);
      const session = await page.context().newCDPSession(page);
      const { entries } = await session.send('Page.getNavigationHistory');
      search('the history', entries.map(({ url }) => url).join('\n'));
      await Promise.all(reading.splice(0));
    },
    found() {
      search('the bundle', bundle());
      const has = (place: string, secret: string) => places.get(place)!.includes(secret);
      const of = (some: Set<string>, but?: string) =>
        [...places.keys()].flatMap((place) =>
          place === but ? [] : [...some].flatMap((one) => (has(place, one) ? `${place} has ${one.slice(0, 12)}…` : [])),
        );
      return [...of(secrets), ...of(tickets, 'an address')];
    },
  };
}
