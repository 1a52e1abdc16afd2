import { existsSync } from 'node:fs';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The Chromium of this machine: CHROMIUM, or where distributions install it. */
export const chromiumProgram = (): string | undefined => process.env.CHROMIUM || PROGRAMS.find((path) => existsSync(path));

export const NO_CHROMIUM = 'no Chromium on this machine: install the package chromium, or name a program in CHROMIUM';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Plain http at a name other than localhost: no secure context.
  '--host-resolver-rules=MAP plain.test 127.0.0.1',
];

export type Browser = {
  /** A page with a virtual authenticator of its own. */
  page(url: string): Promise<Page>;
  /** Such a page with nothing of the others: cookies, storage and cache are its own, and end with it. */
  person(url: string): Promise<Page>;
  close(): Promise<void>;
};

const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

/** Some machines draw a page at a tenth of the usual speed while other tests run. */
const LONGEST_MS = 60_000;

async function pageOf(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(LONGEST_MS);
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
  await page.goto(url);
  return page;
}

/** A real browser with an empty profile, which is removed when it is closed. A start takes two seconds of processor time. */
export async function startBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: chromiumProgram()!, args: FLAGS });
  const shared = await browser.newContext();
  return {
    page: (url) => pageOf(shared, url),
    async person(url) {
      const context = await browser.newContext();
      const page = await pageOf(context, url);
      // The browser may close first, and its contexts with it.
      page.once('close', () => void context.close().catch(() => {}));
      return page;
    },
    close: () => browser.close(),
  };
}
