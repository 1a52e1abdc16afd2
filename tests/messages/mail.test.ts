import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailContents } from '../../src/messages/mail.ts';
import { parseTemplate } from '../../src/messages/template.ts';
import type { MailMessage, MailStyle } from '../../src/model/message.ts';
import { bundleIn, codeIn } from '../support/mail.ts';

const NOW = 1_700_000_000_000;
const BUNDLE = `2${'nUtMXrBe2ZxmPhWmEL1nLxjTCQr5Pe5Wb'.repeat(3)}`;
const about = (style: Partial<MailStyle> = {}) => ({ to: 'a@example.com', sender: {}, style: { appName: 'Acme', ...style } });
const code = (style?: Partial<MailStyle>): MailMessage => ({
  ...about(style),
  template: 'code',
  code: '123456',
  expiresAt: NOW + 300_000,
});
const bundle = (style?: Partial<MailStyle>): MailMessage => ({
  ...about(style),
  template: 'credential',
  bundle: BUNDLE,
  expiresAt: NOW + 900_000,
});
const INVITATION: MailMessage = {
  to: 'a@example.com',
  template: 'invitation',
  invitationId: 'id',
  userName: 'Ada',
  senderName: 'Grace <b>',
  organizationName: 'Engines & Co',
  link: 'https://keys.example.com/accept-invitation#a=1&b=2',
  expiresAt: NOW + 7 * 86_400_000,
};

const LINK = 'https://app.example.com/?x=%s';

test('a code stands as "code: …", a bundle alone on its line, and each says how long it lasts', () => {
  const one = mailContents(code(), NOW, undefined);
  assert.equal(one.subject, 'Sign in to Acme');
  assert.equal(codeIn(one.text), '123456');
  assert.match(one.text, /valid for 5 minutes/);
  assert.match(one.html, />123456</);
  const other = mailContents(bundle({ magicLinkTemplate: LINK }), NOW, undefined);
  assert.equal(bundleIn(other.text), BUNDLE);
  assert.ok(other.text.split('\n').includes(`https://app.example.com/?x=${BUNDLE}`));
  assert.match(other.html, new RegExp(`href="https://app\\.example\\.com/\\?x=${BUNDLE}"`));
  const recovery = mailContents({ ...bundle(), template: 'recovery' } as MailMessage, NOW, undefined);
  assert.equal(recovery.subject, 'Recover your access to Acme');
});

test('names show no characters that turn what is read around', () => {
  const name = 'Grace\u202eknab\u2028Line\u200b';
  const shown = mailContents(
    { ...INVITATION, senderName: name, organizationName: name, userName: name } as MailMessage,
    NOW,
    undefined,
  );
  for (const text of Object.values(shown)) {
    assert.doesNotMatch(text, /[\u202e\u2028\u200b]/u);
    assert.match(text, /GraceknabLine/);
  }
});

test('an invitation escapes what people are called', () => {
  const { subject, html, text } = mailContents(INVITATION, NOW, undefined);
  assert.equal(subject, 'Grace <b> invites you to Engines & Co');
  assert.ok(html.includes('Grace &lt;b&gt; invites you to Engines &amp; Co') && !html.includes('<b>'));
  assert.ok(html.includes('href="https://keys.example.com/accept-invitation#a=1&amp;b=2"'));
  assert.match(text, /valid for 7 days/);
});

test('a mail of ours asks for nothing from elsewhere but the logo', () => {
  for (const mail of [code(), bundle(), INVITATION]) {
    const { html } = mailContents(mail, NOW, undefined);
    assert.ok(!/\b(?:src|srcset|background)=|url\(|@import|<(?:script|link|iframe|img)/i.test(html), html);
  }
  const { html } = mailContents(code({ logoUrl: 'https://cdn.example.com/a.png?a=1&b="' }), NOW, undefined);
  assert.deepEqual(html.match(/src="[^"]*"/g), ['src="https://cdn.example.com/a.png?a=1&amp;b=&quot;"']);
});

test('an organization’s own template takes the place of our HTML, and the text stays ours', () => {
  const template = parseTemplate(
    '<p>{{ .AppName }}: {{ .OtpCode }} {{ .CredentialBundle }} {{ .MagicLink }} {{ index .TemplateVariables "a" }}</p>',
  );
  const style = { magicLinkTemplate: LINK, templateVariables: { a: '<i>' } };
  const one = mailContents(code(style), NOW, template);
  assert.equal(one.html, '<p>Acme: 123456  https://app.example.com/?x=123456 &lt;i&gt;</p>');
  assert.equal(codeIn(one.text), '123456');
  assert.equal(mailContents(bundle(), NOW, template).html, `<p>Acme:  ${BUNDLE}  </p>`);
});
