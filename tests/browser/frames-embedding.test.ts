/** Where frames must hold no secret: they say why, make no key, and answer each request with an error. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Frame, Page } from 'playwright-core';
import { chromiumProgram, NO_CHROMIUM } from '../support/chromium.ts';
import { framesWorld } from '../support/frames.ts';

describe('a frame in the wrong place', { skip: chromiumProgram() === undefined && NO_CHROMIUM }, () => {
  const world = framesWorld({ FRAMES_ALLOWED_ORIGINS: 'https://app.example.com' });
  let server: Server;
  /** The service behind a proxy that removes its policy, with an app's page of the same origin. */
  let proxy: string;

  before(async () => {
    server = createServer(async (request, response) => {
      if (!request.url!.startsWith('/frames/')) {
        return response.setHeader('content-type', 'text/html').end('<!doctype html><title>App</title><body>');
      }
      const answer = await fetch(world.instance.url + request.url);
      response.setHeader('content-type', answer.headers.get('content-type')!);
      return response.end(await answer.text());
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    proxy = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => void server?.close());

  /** What a frame says on its port to a page that embeds it, and what it shows. `parent`: the page, or a frame of it. */
  async function asked(
    page: Page,
    src: string,
    parent: Page | Frame = page,
  ): Promise<{ answers: unknown[]; shown: string; databases: number }> {
    const answers = await parent.evaluate(async (url) => {
      const frame = document.createElement('iframe');
      frame.setAttribute('sandbox', 'allow-scripts allow-same-origin');
      frame.src = url;
      document.body.append(frame);
      await new Promise((done) => frame.addEventListener('load', done));
      const { port1, port2 } = new MessageChannel();
      const said: unknown[] = [];
      const both = new Promise<void>((done) => {
        port1.onmessage = ({ data }) => {
          said.push(data);
          if (data.requestId === 'b') done();
        };
      });
      frame.contentWindow!.postMessage({ type: 'TURNKEY_INIT_MESSAGE_CHANNEL' }, '*', [port2]);
      for (const requestId of ['a', 'b']) port1.postMessage({ type: 'INIT_EMBEDDED_KEY', requestId });
      await both;
      return said;
    }, src);
    const frame = page.frames().find((one) => one.url() === src)!;
    const shown = (await frame.locator('#note').textContent())!;
    const databases = await frame.evaluate(() =>
      indexedDB.databases().then(
        ({ length }) => length,
        () => 0,
      ),
    );
    return { answers, shown, databases };
  }

  function isRefused({ answers, shown, databases }: Awaited<ReturnType<typeof asked>>, why: RegExp): void {
    assert.match(shown, why);
    assert.deepEqual(
      answers,
      ['a', 'b'].map((requestId) => ({ type: 'ERROR', value: shown, requestId })),
    );
    assert.equal(databases, 0);
  }

  test('a parent that is not listed gets no page', async () => {
    const page = await world.browser.page(world.app);
    const refused = new Promise<string>((said) => {
      page.on('console', (line) => /frame-ancestors/.test(line.text()) && said(line.text()));
    });
    await page.evaluate((src) => {
      const frame = document.createElement('iframe');
      frame.src = src;
      document.body.append(frame);
    }, `${world.instance.url}/frames/export`);
    assert.match(await refused, /https:\/\/app\.example\.com/);
    await page.close();
  });

  test('behind a proxy that removes the header, the handshake refuses such a parent', async () => {
    const page = await world.browser.page(world.app);
    isRefused(await asked(page, `${proxy}/frames/export`), /FRAMES_ALLOWED_ORIGINS must name it/);
    await page.close();
  });

  test('a parent of the frame’s own origin is refused', async () => {
    const page = await world.browser.page(proxy);
    isRefused(await asked(page, `${proxy}/frames/import`), /same origin/);
    await page.close();
  });

  test('a frame in a frame is refused', async () => {
    const page = await world.browser.page(`${world.app}/`);
    const between = `${world.app}/between`;
    await page.evaluate((src) => {
      const frame = document.createElement('iframe');
      frame.src = src;
      document.body.append(frame);
      return new Promise((done) => frame.addEventListener('load', done));
    }, between);
    const parent = page.frames().find((one) => one.url() === between)!;
    isRefused(await asked(page, `${proxy}/frames/auth`, parent), /in another iframe/);
    await page.close();
  });

  test('a page that is opened alone says what it is for', async () => {
    const page = await world.browser.page(`${world.instance.url}/frames/export`);
    await page.getByRole('alert').filter({ hasText: 'for an app that shows it in an iframe' }).waitFor();
    assert.equal(await page.evaluate(async () => (await indexedDB.databases()).length), 0);
    await page.close();
  });

  test('the policy stops requests and scripts of other places', async () => {
    const page = await world.browser.page(`${world.instance.url}/frames/import`);
    const stopped = await page.evaluate(async () => {
      const request = await fetch('/health').then(
        () => 'sent',
        () => 'stopped',
      );
      const script = document.createElement('script');
      const ran = await new Promise((done) => {
        document.addEventListener('securitypolicyviolation', () => done('stopped'));
        try {
          script.textContent = 'document.title = "ran"';
          document.body.append(script);
        } catch {
          done('stopped');
        }
      });
      return [request, ran, document.title];
    });
    assert.deepEqual(stopped, ['stopped', 'stopped', 'Import']);
    await page.close();
  });
});
