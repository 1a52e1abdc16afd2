/** Blocks marked `ts` and `js` are parts of programs: the compiler holds them to the types of the published packages. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { blocksOf, documents, read } from '../support/documents.ts';

const ROOT = resolve(import.meta.dirname, '../..');
// Inside the checkout, so that packages are found.
mkdirSync(join(ROOT, '.cache'), { recursive: true });
const folder = mkdtempSync(join(ROOT, '.cache/documents-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What the text around the blocks of a document introduces. */
const AROUND: Readonly<Record<string, string>> = {
  'docs/frames.md': `
    import type { TurnkeyClient } from '@turnkey/core';
    import { IframeStamper } from '@turnkey/iframe-stamper';
    declare const client: TurnkeyClient, iframeContainer: HTMLElement, walletId: string, organizationId: string;`,
  'docs/login/mfa.md': `
    import { decodeVerificationToken, StamperType, TurnkeyClient } from '@turnkey/core';
    declare const apiBaseUrl: string, authProxyUrl: string, authProxyConfigId: string, organizationId: string;
    declare const askForCode: () => Promise<string>, verify: (code: string) => Promise<string>;`,
  'docs/people.md': 'declare const organizationId: string, baseUrl: string, rpId: string;',
  'docs/sending.md': `
    import type { Turnkey as Client } from '@turnkey/sdk-server';
    import type { VersionedTransaction } from '@solana/web3.js';
    import { encodeFunctionData } from 'viem';
    import type { Abi, Address } from 'viem';
    declare const apiBaseUrl: string, apiPublicKey: string, apiPrivateKey: string, defaultOrganizationId: string;
    declare const client: ReturnType<Client['apiClient']>, transaction: VersionedTransaction;
    declare const abi: Abi, from: Address, to: Address, token: Address, amount: bigint;`,
  'docs/streaming.md': `
    declare const newTicket: () => Promise<string>, service: string;
    declare const readTheList: () => void, show: (activity: unknown) => void;`,
  'examples/wallet-app/README.md': `
    import type { TurnkeyClient } from '@turnkey/core';
    import { encryptOtpCodeToBundle } from '@turnkey/crypto';
    import { build } from 'esbuild';
    declare const client: TurnkeyClient, key: string, code: string, otpId: string, otpEncryptionTargetBundle: string;
    declare const otpSigner: string, OTP_SIGNER: string;`,
};

const OPTIONS = ['--ignoreConfig', '--noEmit', '--strict', '--noImplicitAny', 'false', '--skipLibCheck', '--module', 'esnext'];
const TARGET = ['--moduleResolution', 'bundler', '--target', 'es2024', '--lib', 'es2024,dom,dom.iterable', '--types', 'node'];

/** Names that a block declares take the place of those around it. */
function programOf(around: string, lines: readonly string[]): string {
  const own = [...lines.join('\n').matchAll(/\b(?:const|import|export const) (?:\{([^}]*)\}|(\w+))/g)].flatMap(
    ([, several, one]) => one ?? several!.split(',').map((name) => name.trim()),
  );
  const kept = around.replace(/\b(\w+): /g, (text, name: string) => (own.includes(name) ? `around_${text}` : text));
  const imports = kept.replace(/import \{ (\w+) \}/g, (text, name: string) =>
    own.includes(name) ? `import { ${name} as around_${name} }` : text,
  );
  return `${imports}\n${lines.join('\n')}\nexport {};\n`;
}

test('each block of a program compiles with the published packages', () => {
  // The second name of a package that a reader installs.
  writeFileSync(join(folder, 'second.d.ts'), `declare module 'turnkey-crypto' {\n  export * from '@turnkey/crypto';\n}\n`);
  const files = documents.flatMap((name) =>
    blocksOf(read(name))
      .filter(({ language }) => language === 'ts' || language === 'js')
      .map(({ line, lines }) => {
        assert.ok(AROUND[name] !== undefined, `${name}:${line} needs a row of AROUND`);
        const file = join(folder, `${name.replaceAll('/', '-')}-${line}.ts`);
        writeFileSync(file, programOf(AROUND[name], lines));
        return file;
      }),
  );
  assert.ok(files.length >= 11);
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const done = spawnSync(process.execPath, [tsc, ...OPTIONS, ...TARGET, join(folder, 'second.d.ts'), ...files], {
    encoding: 'utf8',
  });
  assert.equal(done.status, 0, done.stdout + done.stderr);
});
