import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** A real browser with an empty profile, which is removed when it is closed. */
export async function startBrowser(): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'countersign-chromium-'));
  let context: BrowserContext | undefined;
  const close = async () => {
    await context?.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  try {
    context = await chromium.launchPersistentContext(profile, { executablePath: chromiumProgram()!, args: FLAGS });
  } catch (error) {
    await close();
    throw error;
  }
  const opened = context;
  return {
    async page(url) {
      const page = await opened.newPage();
      const session = await opened.newCDPSession(page);
      await session.send('WebAuthn.enable');
      await session.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
      await page.goto(url);
      return page;
    },
    close,
  };
}
