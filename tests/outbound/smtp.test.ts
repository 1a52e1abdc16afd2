import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import * as tls from 'node:tls';
import { domainToASCII } from 'node:url';
import { smtpMailer } from '../../src/outbound/smtp.ts';
import { parseSmtpUrl } from '../../src/outbound/smtp-url.ts';
import { type Letter, type Mailer, SendError } from '../../src/outbound/types.ts';
import { sharedMail } from '../support/mail.ts';

const mailers: Mailer[] = [];
const mailerOf = (url: string): Mailer => {
  const mailer = smtpMailer(parseSmtpUrl(url));
  mailers.push(mailer);
  return mailer;
};
after(() => mailers.map((mailer) => mailer.close()));

const letter = (to: string, more: Partial<Letter> = {}): Letter => ({
  messageId: '<one@service.test>',
  from: { name: 'Service', address: 'no-reply@service.test' },
  to,
  subject: 'Sign in',
  text: 'code: 123456\n',
  html: '<p>123456</p>',
  ...more,
});

const fails = async (sending: Promise<unknown>, permanent: boolean, text: RegExp) =>
  assert.rejects(sending, (error) => {
    assert.ok(error instanceof SendError, String(error));
    assert.match(error.message, text);
    assert.equal(error.permanent, permanent, error.message);
    return true;
  });

describe('a mail by SMTP', async () => {
  const mail = await sharedMail();
  const mailer = mailerOf(mail.env.SMTP_URL);

  test('arrives as it was written, and the server’s answer is kept', async () => {
    const { response } = await mailer.send(letter('ann@example.com', { replyTo: 'help@example.com' }));
    assert.match(response, /^250 /);
    const got = await mail.next('ann@example.com');
    assert.deepEqual(
      [got.from, got.envelopeFrom, got.replyTo, got.subject, got.messageId, got.text.trim(), got.html.trim()],
      [
        { name: 'Service', address: 'no-reply@service.test' },
        'no-reply@service.test',
        'help@example.com',
        'Sign in',
        '<one@service.test>',
        'code: 123456',
        '<p>123456</p>',
      ],
    );
    assert.equal(got.headers.get('auto-submitted'), 'auto-generated');
  });

  test('names and subjects bring no header and no recipient', async () => {
    const nasty = 'Acme\r\nBcc: evil@example.com\r\n\r\nhello\u0000\u202e';
    await mailer.send(
      letter('bob@example.com', {
        subject: nasty,
        from: { name: `${nasty} <evil@example.com>,`, address: 'no-reply@service.test' },
      }),
    );
    const got = await mail.next('bob@example.com');
    assert.equal(got.headers.get('bcc'), undefined);
    assert.equal(got.from.address, 'no-reply@service.test');
    assert.ok(!/^bcc:/im.test(got.raw), got.raw);
    assert.equal(mail.received.filter(({ to }) => to.startsWith('evil')).length, 0);
  });

  test('an address is one recipient, whatever its text looks like', async () => {
    for (const to of ['"a,evil@example.com"@example.org', '"evil@example.com"@example.org', '"a b"@example.org']) {
      const sending = mailer.send(letter(to));
      await sending.catch((error) => assert.ok(error instanceof SendError));
    }
    for (const { to } of mail.received) assert.ok(!to.endsWith('evil@example.com') && !to.startsWith('evil@example.com'), to);
  });

  test('a domain goes as DNS has it, and only letters that look alike are another one', async () => {
    await mailer.send(letter('ann@b\u00fccher.example'));
    // The server shows it in letters.
    const domainOf = (to: string) => domainToASCII(to.split('@')[1]!);
    assert.equal(domainOf(mail.received.at(-1)!.to), 'xn--bcher-kva.example');
    // Cyrillic letters.
    await mailer.send(letter('ann@\u0435\u0445\u0430mple.com'));
    assert.match(domainOf(mail.received.at(-1)!.to), /^xn--/);
  });

  test('very long texts and subjects arrive whole', async () => {
    const text = `${'x'.repeat(200_000)}\n`;
    await mailer.send(letter('long@example.com', { text, subject: '\u03a9'.repeat(300) }));
    const got = await mail.next('long@example.com');
    assert.equal(got.text.trim().length, 200_000);
    assert.equal(got.subject, '\u03a9'.repeat(300));
    for (const line of got.raw.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 998);
  });

  test('5xx for a recipient is for good, 4xx is not', async () => {
    mail.answer((to) => (to.startsWith('no') ? 550 : 450));
    await fails(mailer.send(letter('no@example.com')), true, /550/);
    await fails(mailer.send(letter('later@example.com')), false, /450/);
    mail.answer(undefined);
    await mailer.send(letter('later@example.com'));
  });

  test('a server that is not there may be there later', async () => {
    await fails(mailerOf('smtp://127.0.0.1:1').send(letter('a@example.com')), false, /ECONNREFUSED|ESOCKET|ECONNECTION/);
  });

  test('closing ends what is under way', async () => {
    const sockets = new Set<Socket>();
    const { promise: connected, resolve } = Promise.withResolvers<void>();
    // Takes connections and says nothing.
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      resolve();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    const slow = mailerOf(`smtp://127.0.0.1:${port}`);
    const sending = fails(slow.send(letter('a@example.com')), false, /./);
    await connected;
    slow.close();
    await sending;
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
    await fails(slow.send(letter('a@example.com')), false, /stopping/);
  });
});

describe('TLS', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-smtp-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', cert];
  const made = spawnSync('openssl', [...args, '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']);
  const skip = made.status !== 0 && 'openssl is not installed';
  const pems = skip ? undefined : { key: readFileSync(key), cert: readFileSync(cert) };
  const passwords: string[] = [];
  const login = {
    authOptional: true,
    disabledCommands: [],
    onAuth(auth: { password?: string | undefined }, _session: unknown, done: (error: Error | null, user?: object) => void) {
      passwords.push(auth.password ?? '');
      done(null, { user: 'user' });
    },
  };
  const starttls = await sharedMail({ ...login, ...pems } as never);
  const implicit = await sharedMail({ ...login, ...pems, secure: true } as never);
  const plain = await sharedMail();

  test('a certificate that nobody vouches for is refused, and no password is sent', { skip }, async () => {
    await fails(mailerOf(`smtps://user:pass@localhost:${implicit.port}`).send(letter('a@example.com')), false, /certificate/i);
    await fails(
      mailerOf(`smtp://user:pass@localhost:${starttls.port}?tls=starttls`).send(letter('a@example.com')),
      false,
      /certificate/i,
    );
    assert.deepEqual(passwords, []);
    assert.deepEqual([...implicit.received, ...starttls.received], []);
  });

  test('where STARTTLS is needed and not offered nothing is sent', async () => {
    await fails(
      mailerOf(`smtp://localhost:${plain.port}?tls=starttls`).send(letter('a@example.com')),
      false,
      /ETLS|STARTTLS|TLS/i,
    );
    assert.deepEqual(plain.received, []);
  });

  test('one that is vouched for is taken, from the first byte or by STARTTLS', { skip }, async (t) => {
    const { setDefaultCACertificates, getCACertificates } = tls as unknown as {
      setDefaultCACertificates?(certificates: string[]): void;
      getCACertificates(): string[];
    };
    if (setDefaultCACertificates === undefined) return t.skip('this Node.js cannot add a certificate while it runs');
    setDefaultCACertificates([...getCACertificates(), pems!.cert.toString()]);
    await mailerOf(`smtps://user:pass@localhost:${implicit.port}`).send(letter('a@example.com'));
    await mailerOf(`smtp://user:pass@localhost:${starttls.port}?tls=starttls`).send(letter('b@example.com'));
    assert.deepEqual([implicit.received.length, starttls.received.length], [1, 1]);
    assert.deepEqual(passwords, ['pass', 'pass']);
  });
});
