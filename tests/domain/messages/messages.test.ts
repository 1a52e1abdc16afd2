import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { templateUses } from '../../../src/operator/mail-templates.ts';
import { newCustomer } from '../../activities/email/support.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { bundleIn, sharedMail } from '../../support/mail.ts';
import { newTarget } from '../../support/published.ts';
import { refused } from '../../support/refusals.ts';

const mail = await sharedMail();
const instance = await sharedInstance({
  ...mail.env,
  MAIL_SENDER_DOMAINS: 'Allowed.example, b\u00fccher.example',
  LIMIT_OTP_INITIATIONS: '1000',
});
resultOf(
  await instance.root.submit('SET_ORGANIZATION_FEATURE', { name: 'FEATURE_NAME_EMAIL_AUTH', value: '' }),
  'setOrganizationFeatureResult',
);
const { engine } = instance;
const { reaches } = engine.messages.mail;
afterEach(() => {
  engine.messages.mail.reaches = reaches;
});

const TYPE = 'EMAIL_AUTH_V3';
const customer = await newCustomer(instance, 'reader');
const submit = (more: object = {}, style: object = {}) => {
  const emailCustomization = { appName: 'Harbour', ...style };
  const targetPublicKey = newTarget().publicKeyUncompressed;
  return customer.parent.submit(TYPE, { email: customer.email, targetPublicKey, emailCustomization, ...more });
};
/** The mail of an activity that is accepted. */
async function sent(more: object = {}, style: object = {}) {
  const { status, text } = await submit(more, style);
  assert.equal(status, 200, text);
  return mail.next(customer.email);
}

const add = (organizationId: string, html: string, id = engine.ids.next()) =>
  engine.store.transaction(async (tx) => {
    await tx.mailTemplates.insert({
      organizationId,
      id,
      name: 'name',
      html,
      uses: templateUses(html),
      createdAt: engine.clock.now(),
    });
    return id;
  });

const AT = 'parameters.emailCustomization';

test('a mail looks as it was asked to', async () => {
  const letter = await sent(
    {},
    { logoUrl: 'https://cdn.example.com/logo.png', magicLinkTemplate: 'https://app.example.com/#%s' },
  );
  assert.equal(letter.subject, 'Sign in to Harbour');
  assert.deepEqual(letter.from, { name: 'Countersign', address: 'no-reply@service.test' });
  const bundle = bundleIn(letter.text);
  assert.ok(letter.text.includes(`\nhttps://app.example.com/#${bundle}\n`));
  assert.ok(letter.html.includes('src="https://cdn.example.com/logo.png"'));
  assert.ok(letter.html.includes(`href="https://app.example.com/#${bundle}"`));
});

test('a sender of a listed domain is taken, and of another is ignored with all three members', async () => {
  const asked = {
    sendFromEmailAddress: 'hello@allowed.example',
    sendFromEmailSenderName: 'Harbour',
    replyToEmailAddress: 'help@Allowed.Example',
  };
  const one = await sent(asked);
  assert.deepEqual(
    [one.from, one.envelopeFrom, one.replyTo],
    [{ name: 'Harbour', address: 'hello@allowed.example' }, 'hello@allowed.example', 'help@allowed.example'],
  );
  assert.match(one.messageId, /@allowed\.example>$/);
  assert.deepEqual((await sent({ sendFromEmailAddress: 'hello@allowed.example' })).from.name, 'Notifications');
  const partly = await sent({ ...asked, replyToEmailAddress: 'help@other.example' });
  assert.deepEqual([partly.from.address, partly.replyTo], ['hello@allowed.example', undefined]);
  for (const sendFromEmailAddress of [
    'hello@other.example',
    'hello@sub.allowed.example',
    'hello@allowed.example.evil.example',
    // Cyrillic.
    'hello@\u0430llowed.example',
    '"hello@allowed.example"@evil.example',
  ]) {
    const letter = await sent({ ...asked, sendFromEmailAddress });
    assert.deepEqual(
      [letter.from, letter.replyTo],
      [{ name: 'Countersign', address: 'no-reply@service.test' }, undefined],
      sendFromEmailAddress,
    );
  }
  const german = await sent({ sendFromEmailAddress: 'hello@B\u00dcCHER.example' });
  assert.match(german.from.address, /^hello@(?:b\u00fccher|xn--bcher-kva)\.example$/i);
  refused(
    await submit({ sendFromEmailAddress: 'nobody' }),
    [400, 'INVALID_EMAIL', /invalid email address/],
    'parameters.sendFromEmailAddress',
  );
});

test('a fault of a mail is named', async () => {
  for (const [style, field, text] of [
    [
      { magicLinkTemplate: 'https://app.example.com/' },
      'magicLinkTemplate',
      /invalid magic link template: it must have exactly one %s/,
    ],
    [{ magicLinkTemplate: 'javascript:%s' }, 'magicLinkTemplate', /invalid magic link template/],
    [{ logoUrl: 'http://cdn.example.com/a.png' }, 'logoUrl', /must be an https URL/],
    [{ logoUrl: 'https://169.254.169.254@evil.example/' }, 'logoUrl', /user name/],
    [{ templateVariables: '[1]' }, 'templateVariables', /failed to unmarshal template variables/],
    [{ templateVariables: '{"a":{}}' }, 'templateVariables', /failed to unmarshal template variables/],
    [{ templateId: 'nothing' }, 'templateId', /failed to get email template contents: there is no template/],
    [{ templateId: engine.ids.next() }, 'templateId', /failed to get email template contents: there is no template/],
    [{ appName: 'a\r\nBcc: b@example.com' }, 'appName', /control characters/],
    [{ appName: 'Acme \u202egro.live' }, 'appName', /invisible/],
    [{ appName: 'Ac\u200bme' }, 'appName', /invisible/],
    [{ appName: 'x'.repeat(256) }, 'appName', /at most 255/],
    [{ appName: '' }, 'appName', /must not be empty/],
  ] as const)
    refused(await submit({}, style), [400, 'REQUEST_INVALID', text], `${AT}.${field}`);
  refused(
    await submit({ sendFromEmailSenderName: 'a\nb' }),
    [400, 'REQUEST_INVALID', /control characters/],
    'parameters.sendFromEmailSenderName',
  );
  const family = await sent({}, { appName: '\u{1F468}\u200d\u{1F469}\u200d\u{1F467} Caf\u00e9' });
  assert.equal(family.subject, 'Sign in to \u{1F468}\u200d\u{1F469}\u200d\u{1F467} Caf\u00e9');
});

test('a stored template is used by its id, and the newest that fits where none is named', async () => {
  const parent = instance.root.organizationId;
  const id = await add(parent, '<b title="{{ .AppName }}">{{ .CredentialBundle }}</b>{{ index .TemplateVariables "a" }}');
  const letter = await sent({}, { appName: '<i>"', templateId: id.toUpperCase(), templateVariables: '{"a":"<script>"}' });
  assert.match(letter.html, /^<b title="&lt;i&gt;&quot;">[1-9A-Za-z]{80,}<\/b>&lt;script&gt;\n?$/);
  assert.match(letter.html, new RegExp(bundleIn(letter.text)));
  assert.match((await sent()).html, /^<b title="Harbour">/, 'the newest');
  await add(parent, '<u>{{ .OtpCode }}</u>');
  assert.match((await sent()).html, /^<b title="Harbour">/, 'not one that has no place for the bundle');
  const link = await add(parent, '<a href="{{ .MagicLink }}">go</a>');
  assert.match((await sent()).html, /^<b title="Harbour">/);
  assert.match(
    (await sent({}, { magicLinkTemplate: 'https://app.example.com/%s' })).html,
    /^<a href="https:\/\/app\.example\.com\//,
  );
  refused(
    await submit({}, { templateId: link }),
    [400, 'REQUEST_INVALID', /does not contain {{ \.CredentialBundle }}/],
    `${AT}.templateId`,
  );

  const foreign = await add(customer.organizationId, '<s>{{ .CredentialBundle }}</s>');
  refused(await submit({}, { templateId: foreign }), [400, 'REQUEST_INVALID', /there is no template/], `${AT}.templateId`);
});

test('a domain that takes no mail is said, and nothing is kept where DNS does not answer', async () => {
  const asked: string[] = [];
  engine.messages.mail.reaches = async (domain) => {
    asked.push(domain);
    return false;
  };
  refused(await submit(), [400, 'INVALID_FQDN', /could not reach email/], 'parameters.email');
  assert.deepEqual(asked, ['example.com']);
  engine.messages.mail.reaches = async () => {
    throw new Error('SERVFAIL');
  };
  const answer = await submit();
  assert.equal(answer.status, 503);
  assert.match(answer.body.message, /DNS did not answer/);
});

test('a bundle lies sealed in the outbox while it waits, and nowhere once it was sent', async () => {
  let release = () => {};
  mail.answer(() => new Promise((resolve) => (release = () => resolve(undefined))));
  assert.equal((await submit()).status, 200);
  const [row] = await instance.raw('SELECT payload, expires_at AS until FROM outbox');
  assert.ok(String(row!.payload).startsWith('sealed:'));
  assert.ok(Number(row!.until) > engine.clock.now());
  while (release.toString() === '() => {}') await new Promise((resolve) => setImmediate(resolve));
  release();
  mail.answer(undefined);
  const letter = await mail.next(customer.email);
  while ((await instance.raw('SELECT id FROM outbox')).length > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(bundleIn(letter.text));
});

test('a message whose time is over is not sent, its contents go, and later its row', async () => {
  mail.answer(() => 451);
  const before = mail.received.length;
  assert.equal((await submit({ expirationSeconds: '60' })).status, 200);
  // Its first attempt has failed: one that had not begun would be made with the next answer.
  const failed = () => instance.raw("SELECT id FROM outbox WHERE last_error <> ''");
  while ((await failed()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  const states = () => instance.raw('SELECT state, payload FROM outbox');
  const until = async (what: (rows: Record<string, unknown>[]) => boolean) => {
    for (;;) {
      const rows = await states();
      if (what(rows)) return rows;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  mail.answer(undefined);
  // It waits for its second attempt, and the service is away meanwhile.
  await instance.raw('UPDATE outbox SET due_at = expires_at + 1');
  instance.clock.advance(61_000);
  await until(([row]) => row?.state === 'dead');
  const sweep = (now: number) => engine.store.transaction((tx) => tx.outbox.sweep(now, 30 * 86_400_000, 100));
  await sweep(engine.clock.now());
  assert.deepEqual(await states(), [{ state: 'expired', payload: '' }]);
  await sweep(engine.clock.now() + 31 * 86_400_000);
  assert.deepEqual(await states(), []);
  assert.equal(mail.received.length, before);
  const { body } = await customer.own.query('list_email_events', { email: customer.email, eventType: 'Bounce' });
  assert.match(body.emailEvents[0].details.diagnosticCode, /it expired/);
});
