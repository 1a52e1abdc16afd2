import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SMTPServer } from 'smtp-server';
import { ask } from '../activities/otp/support.ts';
import { sharedInstance } from '../support/instance.ts';
import { codeIn, startMail } from '../support/mail.ts';
import { waitFor } from '../support/wait.ts';

/** As filters do that name the link for which they refuse a mail. */
const echo = (text: string): string => `blocked for https://app.example/?c=${codeIn(text)} (${codeIn(text)})`;

let told = '';
const mail = await startMail({
  disabledCommands: ['AUTH', 'STARTTLS'],
  disableReverseLookup: true,
  logger: false,
  closeTimeout: 20,
  onData(stream, _session, done) {
    let all = '';
    stream.on('data', (part: Buffer) => {
      all += part.toString();
    });
    stream.on('end', () => {
      told = echo(all.replaceAll('\r', ''));
      done(Object.assign(new Error(told), { responseCode: 554 }));
    });
  },
} satisfies ConstructorParameters<typeof SMTPServer>[0]);
const instance = await sharedInstance(mail.env);

test('a code that a mail server shows in its refusal is in no row and no event', async (t) => {
  t.after(() => mail.close());
  const contact = 'blocked@example.com';
  const style = { emailCustomization: { magicLinkTemplate: 'https://app.example/?c=%s' } };
  assert.equal((await instance.root.submit('INIT_OTP_V3', ask(contact, style))).status, 200);
  const said = await waitFor('the refusal is kept', async () => {
    const { body } = await instance.root.query('list_email_events', { email: contact });
    return body.emailEvents[0]?.details.diagnosticCode as string | undefined;
  });
  assert.match(told, /\?c=[0-9A-Z]{9} /);
  assert.equal(said, '554 blocked for https://app.example/?c=*** (***)');
  const [row] = await instance.raw('SELECT last_error FROM outbox');
  assert.equal(row!.last_error, `EMESSAGE ${said}`);
});
