/** Our own designs of mails, in Chromium. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { mailContents } from '../../src/messages/mail.ts';
import type { MailMessage } from '../../src/model/message.ts';
import { type Browser, chromiumProgram, NO_CHROMIUM, startBrowser } from '../support/chromium.ts';

const NOW = 1_700_000_000_000;
const BUNDLE = `2${'nUtMXrBe2ZxmPhWmEL1nLxjTCQr5Pe5Wb'.repeat(4)}`;
const style = { appName: 'W'.repeat(255), magicLinkTemplate: 'https://app.example.com/#%s' };
const asked = { to: 'a@example.com', sender: {}, style, expiresAt: NOW + 300_000 };
const MAILS: MailMessage[] = [
  { ...asked, template: 'code', code: 'K7QX2M9PA' },
  { ...asked, template: 'credential', bundle: BUNDLE },
  { ...asked, template: 'recovery', bundle: BUNDLE },
  {
    template: 'invitation',
    to: 'a@example.com',
    invitationId: 'id',
    userName: 'N'.repeat(255),
    senderName: 'S'.repeat(255),
    organizationName: 'O'.repeat(255),
    link: 'https://keys.example.com/accept-invitation#a=1',
    expiresAt: NOW + 300_000,
  },
];

/** Runs in the page: how wide it is, and how light its text and what is behind it are. */
function seen(): { scroll: number; width: number; ink: string; card: string } {
  const colour = (name: string, property: string) => getComputedStyle(document.querySelector(name)!).getPropertyValue(property);
  const { scrollWidth: scroll, clientWidth: width } = document.documentElement;
  return { scroll, width, ink: colour('.ink', 'color'), card: colour('.card', 'background-color') };
}

const lightness = (rgb: string): number => Math.max(...rgb.match(/\d+/g)!.slice(0, 3).map(Number));

describe('mails of our own design', { skip: chromiumProgram() === undefined && NO_CHROMIUM }, () => {
  let browser: Browser;
  let page: Page;
  before(async () => {
    browser = await startBrowser();
    page = await browser.page('about:blank');
  });
  after(() => browser?.close());

  for (const colorScheme of ['light', 'dark'] as const)
    test(`they fit narrow and wide screens, can be read in ${colorScheme} mode, and fetch nothing`, async () => {
      const requests: string[] = [];
      page.on('request', (request) => void requests.push(request.url()));
      await page.emulateMedia({ colorScheme });
      for (const mail of MAILS)
        for (const width of [320, 800]) {
          await page.setViewportSize({ width, height: 600 });
          await page.setContent(mailContents(mail, NOW, undefined).html);
          const { scroll, width: visible, ink, card } = await page.evaluate(seen);
          assert.ok(scroll <= visible, `${mail.template} is ${scroll} wide on ${visible}`);
          const [text, behind] = [lightness(ink), lightness(card)];
          assert.ok(colorScheme === 'light' ? behind - text > 150 : text - behind > 150, `${mail.template}: ${ink} on ${card}`);
        }
      assert.deepEqual(requests, []);
    });
});
