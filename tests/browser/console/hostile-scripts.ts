/** A script that got into the console, and a page that frames it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type People, tag, waiting } from './requests.ts';
import type { ConsoleWorld } from './world.ts';

export function hostileScripts(world: ConsoleWorld, people: () => People): void {
  test('a script that got into the page brings about no activity without a prompt of the passkey', async () => {
    const { root } = world.instance;
    const page = await world.enrolled(people().approver);
    const { id, fingerprint } = await waiting(people().asker, ...tag('Wanted by a thief'));
    await page.goto(`${world.origin}/console/approvals?open=${id}`);
    await page.getByRole('button', { name: 'Approve with passkey…' }).and(page.locator(':enabled')).waitFor();
    const { organizationId } = people().approver;
    const tried = await page.evaluate(
      async ({ organizationId, fingerprint }) => {
        const prompts: string[] = [];
        // The person does not touch the passkey: each prompt waits for ever.
        navigator.credentials.get = () => {
          prompts.push('asked');
          return new Promise(() => {});
        };
        const db = await new Promise<IDBDatabase>((done) => {
          const opened = indexedDB.open('countersign.console');
          opened.onsuccess = () => done(opened.result);
        });
        const session = await new Promise<{ key: { publicKey: string; privateKey: CryptoKey } }>((done) => {
          const found = db.transaction('kept').objectStore('kept').get('session');
          found.onsuccess = () => done(found.result);
        });
        const { key } = session;
        const secret = Object.values(key).find((value) => value instanceof CryptoKey) as CryptoKey;
        const taken = await crypto.subtle.exportKey('pkcs8', secret).then(
          () => 'taken',
          (error: Error) => error.name,
        );
        const integer = (bytes: number[]): number[] => {
          const short = bytes.slice(bytes.findIndex((byte) => byte !== 0));
          const whole = short[0]! >= 0x80 ? [0, ...short] : short;
          return [2, whole.length, ...whole];
        };
        const send = async (name: string, type: string, parameters: object) => {
          const body = JSON.stringify({ type, timestampMs: String(Date.now()), organizationId, parameters });
          const signed = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, secret, new TextEncoder().encode(body));
          const raw = [...new Uint8Array(signed)];
          const both = [...integer(raw.slice(0, 32)), ...integer(raw.slice(32))];
          const signature = [0x30, both.length, ...both].map((byte) => byte.toString(16).padStart(2, '0')).join('');
          const stamp = { publicKey: key.publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature };
          const answer = await fetch(`/public/v1/${name}`, {
            method: 'POST',
            body,
            headers: { 'x-stamp': btoa(JSON.stringify(stamp)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') },
          });
          return `${name} ${answer.status}`;
        };
        const answers = [
          await send('submit/approve_activity', 'ACTIVITY_TYPE_APPROVE_ACTIVITY', { fingerprint }),
          await send('submit/reject_activity', 'ACTIVITY_TYPE_REJECT_ACTIVITY', { fingerprint }),
          await send('submit/create_user_tag', 'ACTIVITY_TYPE_CREATE_USER_TAG', { userTagName: 'Stolen', userIds: [] }),
          await send('submit/create_read_only_session', 'ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION', {}),
        ];
        // The page's own buttons, pressed by the script.
        document.querySelector<HTMLElement>('.button.primary')!.click();
        while (prompts.length === 0) await new Promise(requestAnimationFrame);
        // Markup that scripts write is refused, so none of it runs.
        let markup = 'taken';
        try {
          document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="globalThis.ran = true">');
        } catch (error) {
          markup = (error as Error).name;
        }
        return { prompts, taken, answers, markup };
      },
      { organizationId, fingerprint },
    );
    assert.deepEqual(tried, {
      prompts: ['asked'],
      taken: 'InvalidAccessError',
      answers: [
        'submit/approve_activity 403',
        'submit/reject_activity 403',
        'submit/create_user_tag 403',
        'submit/create_read_only_session 403',
      ],
      markup: 'TypeError',
    });
    const { activity } = (await root.query('get_activity', { activityId: id })).body;
    assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
    assert.equal(activity.votes.length, 1);
    // Of the policy, which the script has met on purpose.
    assert.ok(
      world.said.every((text) => /TrustedHTML|Trusted Type/i.test(text)),
      world.said.join(),
    );
    world.said.length = 0;
    await page.close();
  });

  test('a page of another origin shows no console in a frame', async () => {
    const page = await world.browser.person(`${world.instance.url}/health`);
    const refused = new Promise<string>((said) => {
      page.on('console', (line) => /frame-ancestors/.test(line.text()) && said(line.text()));
    });
    await page.evaluate((src) => {
      const frame = document.createElement('iframe');
      frame.src = src;
      document.body.append(frame);
    }, `${world.origin}/console/`);
    assert.match(await refused, /frame-ancestors 'none'/);
    await page.close();
  });
}
