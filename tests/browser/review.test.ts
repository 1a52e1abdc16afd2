/** The corpus of reviews in a real browser: it reads each body as Node.js does. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { build } from 'esbuild';
import { compareWithElements, reviewOf } from '../../review/index.ts';
import { payloadView } from '../../src/chains/shared/policy-view.ts';
import { bodyOf, corpus } from '../review/corpus.ts';
import { chromiumProgram, NO_CHROMIUM, startBrowser } from '../support/chromium.ts';
import { largest } from '../support/largest-body.ts';

const skip = chromiumProgram() === undefined && NO_CHROMIUM;

describe('reviews in a browser', { skip }, () => {
  test('each body of the corpus reads as on Node.js', async () => {
    const built = await build({
      entryPoints: [new URL('../../review/index.ts', import.meta.url).pathname],
      bundle: true,
      platform: 'browser',
      format: 'iife',
      globalName: 'review',
      target: 'es2024',
      write: false,
      logLevel: 'silent',
    });
    const browser = await startBrowser();
    try {
      const page = await browser.page('about:blank');
      await page.evaluate(built.outputFiles[0]!.text.replace(/^(?:"use strict";\s*)?var review =/, 'globalThis.review ='));
      for (const entry of [...corpus, largest()]) {
        const given = [new TextDecoder().decode(bodyOf(entry)), Object.entries(entry.interfaces ?? {})] as const;
        const there = await page.evaluate(([text, interfaces]) => {
          const { review } = globalThis as never as { review: typeof import('../../review/index.ts') };
          return JSON.stringify(review.reviewOf(new TextEncoder().encode(text), { contractInterfaces: new Map(interfaces) }));
        }, given);
        const here = reviewOf(bodyOf(entry), { contractInterfaces: new Map(given[1]) });
        assert.equal(there, JSON.stringify(here), entry.name);
      }
    } finally {
      await browser.close();
    }
  });

  test('the largest body reads as policies see it', () => {
    const { parameters, ...entry } = largest();
    const { payloads, encoding } = parameters as { payloads: string[]; encoding: string };
    const review = reviewOf(bodyOf({ ...entry, parameters }));
    const said = payloads.map((payload) => ({
      roots: Object.entries(payloadView(payload, encoding)).map(([root, view]) => ({
        root,
        value: JSON.stringify(view(), (_, value) => (typeof value === 'bigint' ? String(value) : value)),
      })),
    }));
    assert.deepEqual(compareWithElements(review, said), []);
    assert.deepEqual(
      review.warnings.map(({ code, at }) => `${code} ${at}`),
      ['unlimited-approval parameters.payloads[7]'],
    );
  });
});
