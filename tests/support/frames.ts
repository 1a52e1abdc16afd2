// with others: what is global is so in a page.
/** Pages that embed the frames, as apps do: with published packages, and at another origin. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before } from 'node:test';
import { build } from 'esbuild';
import type { FrameLocator, Page } from 'playwright-core';
import { makeFrames } from '../../scripts/bundle-frames.ts';
import { type Browser, startBrowser } from './chromium.ts';
import { type Instance, startInstance } from './instance.ts';

/** In the app's page: iframe-stamper, and what the tests made with it. */
declare global {
  var app: typeof import('@turnkey/iframe-stamper');
  var stamper: import('@turnkey/iframe-stamper').IframeStamper;
}

export type FramePage = 'export' | 'import' | 'auth' | 'recovery' | 'sign';

/** An app's page with one frame. */
export type Embedded = {
  page: Page;
  /** The key of the frame. */
  key: string;
  frame: FrameLocator;
  /** Calls a method of the published stamper. Resolves with what it answers, or rejects with its message. */
  call(method: string, ...parameters: unknown[]): Promise<unknown>;
  /** The message of a call that must fail. */
  fails(method: string, ...parameters: unknown[]): Promise<string>;
};

export type FramesWorld = {
  instance: Instance;
  /** The app's own origin. */
  app: string;
  browser: Browser;
  /** All that consoles said and policies forbade, of apps and frames. */
  said: string[];
  open(name: FramePage, more?: { ttl?: number; url?: string }): Promise<Embedded>;
  /** A page of the app without a frame. */
  blank(): Promise<Page>;
  /** Gives the page its script again after a reload. */
  equip(page: Page): Promise<unknown>;
};

const ID = 'frame';

async function bundled(packages: readonly string[]): Promise<string> {
  const built = await build({
    stdin: { contents: packages.map((name) => `export * from '${name}';`).join(''), resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    globalName: 'app',
    define: { global: 'globalThis', 'process.env': '{}' },
    logLevel: 'silent',
  });
  return built.outputFiles[0]!.text;
}

/** Opens a frame again in the page, as an app does after a reload. */
async function embedded(page: Page, url: string, ttl?: number): Promise<Embedded> {
  const key = await page.evaluate(
    ([iframeUrl, id, ttlMs]) => {
      globalThis.stamper = new app.IframeStamper({
        iframeUrl,
        iframeElementId: id,
        iframeContainer: document.body,
      });
      return stamper.init(ttlMs);
    },
    [url, ID, ttl] as const,
  );
  const call = (method: string, ...parameters: unknown[]) =>
    page.evaluate(([name, given]) => (stamper as unknown as Record<string, (...all: unknown[]) => unknown>)[name]!(...given), [
      method,
      parameters,
    ] as const);
  return {
    page,
    key,
    frame: page.frameLocator(`#${ID}`),
    call,
    async fails(method, ...parameters) {
      const error = await call(method, ...parameters).then(
        () => assert.fail(`${method} was answered`),
        (thrown: Error) => thrown,
      );
      return error.message.replace(/^page\.evaluate: Error: /, '').split('\n')[0]!;
    },
  };
}

/**
 * For the tests of a file. The first report of a policy's violation fails them. `host`: of the app. This browser keeps nothing for frames
 * of another site. So frames in apps of `localhost` have their keys in memory.
 */
export function framesWorld(
  env: Record<string, string> = {},
  host: 'localhost' | '127.0.0.1' = 'localhost',
  packages: readonly string[] = ['@turnkey/iframe-stamper'],
): FramesWorld {
  const world = { said: [] as string[] } as FramesWorld;
  let server: Server;
  let script: string;
  const blank = async () => {
    const page = await world.browser.page('about:blank');
    page.on('console', (line) => void world.said.push(line.text()));
    page.on('pageerror', ({ message }) => void world.said.push(message));
    await page.goto(world.app);
    await page.addScriptTag({ content: script });
    return page;
  };
  before(async () => {
    const { ROOT, BESIDE, put } = await import('../../scripts/bundle-place.ts');
    await makeFrames(ROOT, BESIDE, put);
    world.instance = await startInstance({ FRAMES: '', ...env });
    world.browser = await startBrowser();
    script = await bundled(packages);
    server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>App</title><body>');
    });
    await new Promise<void>((listening) => server.listen(0, host, listening));
    world.app = `http://${host}:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    await world.browser?.close();
    server?.close();
    await world.instance?.close();
    assert.deepEqual(
      world.said.filter((line) => /Content Security Policy|TrustedHTML|Uncaught|Error/i.test(line)),
      [],
    );
  });
  world.blank = blank;
  world.equip = (page) => page.addScriptTag({ content: script });
  world.open = async (name, { ttl, url = `${world.instance.url}/frames/${name}` } = {}) => embedded(await blank(), url, ttl);
  return world;
}
