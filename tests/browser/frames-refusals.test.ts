/** All that a frame refuses: each request is answered once, with an error that has no secret. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toHex } from '../../src/base/bytes.ts';
import { newWebKey } from '../../src/bundles/web-hpke.ts';
import { newPrivateKey } from '../activities/custody.ts';
import { chromiumProgram, NO_CHROMIUM } from '../support/chromium.ts';
import { resultOf } from '../support/client.ts';
import { framesWorld } from '../support/frames.ts';
import { importsWallet, rootUserId } from './frames-custody.ts';

const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

describe('refusals of the frames', { skip: chromiumProgram() === undefined && NO_CHROMIUM }, () => {
  const world = framesWorld({ FRAMES: 'export,import,auth,sign' }, '127.0.0.1');

  test('an export bundle of another key, organization or signer, or with a changed byte, shows nothing', async () => {
    const { root } = world.instance;
    const { walletId } = await importsWallet(world, WORDS);
    const { page, key, frame, call, fails } = await world.open('export');
    const bundleFor = async (targetPublicKey: string): Promise<string> =>
      resultOf(await root.submit('EXPORT_WALLET', { walletId, targetPublicKey }), 'exportWalletResult').exportBundle;
    const bundle = await bundleFor(key);
    const { organizationId } = root;
    const inject = (text: unknown, ...more: unknown[]) => fails('injectWalletExportBundle', text, ...more);
    assert.match(await inject(bundle, world.instance.credentials.organizationId.replace(/^./, 'x')), /another organization/);
    assert.match(await inject(bundle), /must have the text organizationId/);
    assert.match(await inject(''), /must have the text value/);
    assert.match(await inject({}, organizationId), /must have the text value/);
    const other = await bundleFor(toHex((await newWebKey()).publicKey));
    assert.match(await inject(other, organizationId), /not sealed to the key of this page/);
    const { data, enclaveQuorumPublic } = JSON.parse(bundle) as Record<string, string>;
    const flipped = data!.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    assert.match(await inject(bundle.replace(data!, flipped), organizationId), /wrong signature/);
    assert.match(await inject(bundle.slice(0, -20), organizationId), /not a JSON object/);
    const signedByOther = bundle.replace(enclaveQuorumPublic!, toHex((await newWebKey()).publicKey));
    assert.match(await inject(signedByOther, organizationId), /signed by another key/);
    assert.match(await fails('injectKeyExportBundle', bundle, organizationId), /32 bytes/);
    assert.equal(await frame.locator('#key-div').textContent(), '');
    assert.equal(await call('injectWalletExportBundle', bundle, organizationId), true);
    assert.match(await inject(bundle, organizationId), /the page has no key/, 'the key opens one bundle');
    assert.equal(await call('getEmbeddedPublicKey'), '');
    const again = await call('initEmbeddedKey');
    assert.notEqual(again, key);
    assert.equal(await call('clearEmbeddedKey'), null);
    await page.close();
  });

  test('an import bundle of another user, and a text that is no key, seal nothing', async () => {
    const { root } = world.instance;
    const userId = await rootUserId(world);
    const { importBundle } = resultOf(await root.submit('INIT_IMPORT_PRIVATE_KEY', { userId }), 'initImportPrivateKeyResult');
    const { page, frame, call, fails } = await world.open('import');
    assert.match(await fails('extractKeyEncryptedBundle'), /must be injected first/);
    assert.match(await fails('injectImportBundle', importBundle, root.organizationId, 'another'), /another user/);
    assert.match(await fails('injectImportBundle', importBundle, 'another', userId), /another organization/);
    assert.match(await fails('injectImportBundle', importBundle, root.organizationId), /must have the text userId/);
    await call('injectImportBundle', importBundle, root.organizationId, userId);
    assert.match(await fails('extractWalletEncryptedBundle'), /nothing is typed/);
    const typed = frame.locator('#plaintext');
    for (const [text, format, message] of [
      ['0xsecret', undefined, /64 hexadecimal digits/],
      ['3'.repeat(87), 'SOLANA', /base58|half/],
      ['KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn', 'BITCOIN_TESTNET_WIF', /not of the Bitcoin test network/],
    ] as const) {
      await typed.fill(text);
      const said = await fails('extractKeyEncryptedBundle', format);
      assert.match(said, message);
      assert.ok(!said.includes(text));
      assert.equal(await typed.inputValue(), text, 'it can be mended');
    }
    await typed.fill('legal winner\nthank');
    assert.match(await fails('extractWalletEncryptedBundle'), /on one line/);
    await page.close();
  });

  test('settings of wrong values, unknown messages and a flood are each answered once', async () => {
    const { page, frame, call, fails } = await world.open('import');
    for (const [settings, message] of [
      [{ styles: { background: 'red' } }, /may not be set: background/],
      [{ styles: { backgroundColor: 'url(https://a.example)' } }, /styles.backgroundColor has a value/],
      [{ styles: { fontFamily: 'a;b' } }, /styles.fontFamily/],
      [{ passphraseStyles: { width: '1e9px' } }, /passphraseStyles.width/],
      [{ styles: [] }, /styles must be an object/],
      [{ styles: { color: ['#fff'] } }, /styles.color/],
    ] as const)
      assert.match(await fails('applySettings', settings), message);
    assert.match(await fails('createRequest', 'APPLY_SETTINGS', { value: '{' }), /must be JSON/);
    const long = page.evaluate(() => stamper.applySettings({ styles: { fontFamily: 'a'.repeat(10_000_000) } }));
    await assert.rejects(long, /at most 16384 characters/);
    await call('applySettings', {
      styles: { color: 'RGB(1, 2, 3)', labelColor: '#ABCDEF', backgroundColor: '#FFFFFF', boxShadow: '0px 0px 4px #000' },
    });
    assert.equal(await frame.locator('#plaintext').evaluate(({ style }) => (style as { color: string }).color), 'rgb(1, 2, 3)');
    assert.equal(await frame.locator('#passphrase').isVisible(), false);
    await call('applySettings', { enablePassphrase: true });
    assert.equal(await frame.locator('#passphrase').isVisible(), true);
    for (const type of ['NOPE', '__proto__', 'constructor', 'STAMP_REQUEST', 'RESET_EMBEDDED_KEY'])
      assert.match(await fails('createRequest', type), /the import page has no such request/);
    const kinds = await page.evaluate(async () => {
      const { createRequest } = stamper as unknown as { createRequest(type: string): Promise<unknown> };
      const all = Array.from({ length: 3000 }, () => createRequest.call(stamper, 'EXTRACT_WALLET_ENCRYPTED_BUNDLE'));
      const settled = await Promise.allSettled(all);
      return settled.map(({ status }) => status).filter((status) => status !== 'rejected').length;
    });
    assert.equal(kinds, 0);
    await page.close();
  });

  for (const name of ['export', 'import', 'auth', 'sign'] as const)
    test(`a thousand messages at once to the page ${name} are answered once each, and unknown ones with an error`, async () => {
      const { page, call } = await world.open(name);
      const heard = await page.evaluate(async () => {
        const { port1 } = (stamper as unknown as { messageChannel: MessageChannel }).messageChannel;
        const answers: { type: string; value: unknown; requestId: string }[] = [];
        const own = port1.onmessage;
        const last = new Promise<void>((done) => {
          port1.onmessage = ({ data }) => {
            answers.push(data);
            if (answers.length === 1000) done();
          };
        });
        for (let i = 0; i < 1000; i++)
          port1.postMessage({ type: i % 2 === 0 ? 'APPLY_SETTINGS' : `UNKNOWN_${i}`, requestId: `${i}` });
        await last;
        port1.onmessage = own;
        return answers;
      });
      assert.equal(new Set(heard.map(({ requestId }) => requestId)).size, 1000);
      assert.deepEqual([...new Set(heard.map(({ type }) => type))], ['ERROR']);
      const unknown = heard.find(({ requestId }) => requestId === '1');
      assert.equal(unknown?.value, `the ${name} page has no such request`);
      assert.equal(typeof (await call('publicKey')), 'string');
      await page.close();
    });

  test('the sign page takes no bundle of another organization or signer, or with a changed byte', async () => {
    const { root } = world.instance;
    const { page, key, fails } = await world.open('sign');
    const { privateKeyId } = await newPrivateKey(root, 'to sign with', { curve: 'CURVE_SECP256K1' });
    const exported = await root.submit('EXPORT_PRIVATE_KEY', { privateKeyId, targetPublicKey: key });
    const bundle: string = resultOf(exported, 'exportPrivateKeyResult').exportBundle;
    const { data, enclaveQuorumPublic } = JSON.parse(bundle) as Record<string, string>;
    const flipped = bundle.replace(
      data!,
      data!.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
    );
    const other = bundle.replace(enclaveQuorumPublic!, toHex((await newWebKey()).publicKey));
    for (const [text, organizationId, message] of [
      [bundle, 'another', /another organization/],
      [flipped, root.organizationId, /wrong signature/],
      [bundle.slice(0, -20), root.organizationId, /not a JSON object/],
      [other, root.organizationId, /signed by another key/],
    ] as const) {
      assert.match(await fails('injectKeyExportBundle', text, organizationId), message);
      assert.match(await fails('setEmbeddedKeyOverride', organizationId, text), message);
    }
    assert.match(await fails('signMessage', { message: 'hi', type: 'ETHEREUM' }), /no key for this address/);
    await page.close();
  });

  test('a handshake without a port is passed over: the next one with a port is answered', async () => {
    const page = await world.blank();
    const said = await page.evaluate(async (src) => {
      const frame = document.createElement('iframe');
      frame.src = src;
      document.body.append(frame);
      await new Promise((done) => frame.addEventListener('load', done));
      const heard: unknown[] = [];
      addEventListener('message', ({ data }) => heard.push(data));
      frame.contentWindow!.postMessage({ type: 'TURNKEY_INIT_MESSAGE_CHANNEL' }, '*');
      frame.contentWindow!.postMessage({ type: 'GET_EMBEDDED_PUBLIC_KEY', requestId: 'old' }, '*');
      const { port1, port2 } = new MessageChannel();
      const first = new Promise((done) => {
        port1.onmessage = ({ data }) => done(data.type);
      });
      frame.contentWindow!.postMessage({ type: 'TURNKEY_INIT_MESSAGE_CHANNEL' }, '*', [port2]);
      return { first: await first, heard };
    }, `${world.instance.url}/frames/auth`);
    assert.deepEqual(said, { first: 'PUBLIC_KEY_READY', heard: [] });
    await page.close();
  });

  test('a second port gets no answer, and a request without an id none either', async () => {
    const { page, call } = await world.open('export');
    const heard = await page.evaluate(async () => {
      const second = new MessageChannel();
      const frame = document.querySelector('iframe')!.contentWindow!;
      const said: unknown[] = [];
      second.port1.onmessage = ({ data }) => said.push(data);
      frame.postMessage({ type: 'TURNKEY_INIT_MESSAGE_CHANNEL' }, '*', [second.port2]);
      second.port1.postMessage({ type: 'GET_EMBEDDED_PUBLIC_KEY', requestId: 'mine' });
      (stamper as unknown as { messageChannel: MessageChannel }).messageChannel.port1.postMessage({ type: 'INIT_EMBEDDED_KEY' });
      await stamper.getEmbeddedPublicKey();
      return said;
    });
    assert.deepEqual(heard, []);
    assert.equal(typeof (await call('getEmbeddedPublicKey')), 'string');
    await page.close();
  });

  test('the frame keeps nothing that a script could read, and each page its own', async () => {
    const { key: ofAuth, page: other } = await world.open('auth');
    await other.close();
    const { page, key: ofExport } = await world.open('export');
    assert.notEqual(ofAuth, ofExport);
    const frame = page.frames().find((one) => one.url().includes('/frames/'))!;
    const { names, ...kept } = await frame.evaluate(async () => {
      const database = await new Promise<IDBDatabase>((done) => {
        const request = indexedDB.open('countersign.frames.export', 1);
        request.onsuccess = () => done(request.result);
      });
      const key = await new Promise<{ privateKey: CryptoKey }>((done) => {
        const request = database.transaction('keys').objectStore('keys').get('embedded');
        request.onsuccess = () => done(request.result);
      });
      const names = (await indexedDB.databases()).map(({ name }) => name);
      const read = await crypto.subtle.exportKey('pkcs8', key.privateKey).then(
        () => 'read',
        ({ name }: Error) => name,
      );
      return { names, read, local: localStorage.length, session: sessionStorage.length, cookie: document.cookie };
    });
    for (const name of ['auth', 'export']) assert.ok(names.includes(`countersign.frames.${name}`));
    assert.deepEqual(kept, { read: 'InvalidAccessError', local: 0, session: 0, cookie: '' });
    await page.close();
    assert.ok(!world.said.some((line) => line.includes('legal winner')));
  });
});
