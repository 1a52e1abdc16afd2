import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export type ReceivedMail = {
  /** As the envelope says. */
  to: string;
  envelopeFrom: string;
  from: { name: string; address: string };
  replyTo: string | undefined;
  subject: string;
  text: string;
  html: string;
  messageId: string;
  /** By lower-case name. */
  headers: Map<string, string>;
  raw: string;
};

export type MailServer = {
  /** Settings with which an instance sends to it. */
  env: { SMTP_URL: string; MAIL_FROM: string };
  port: number;
  /** Everything that arrived. */
  received: ReceivedMail[];
  /** The next mail to this address that was not taken yet. Waits for it. */
  next(to: string): Promise<ReceivedMail>;
  /** The code of the next mail to this address. */
  nextCode(to: string): Promise<string>;
  /** The credential bundle of the next mail to this address. */
  nextBundle(to: string): Promise<string>;
  /** Answers recipients otherwise than with 250: an SMTP code, or undefined. It may wait. */
  answer(respond: ((to: string) => number | undefined | Promise<number | undefined>) | undefined): void;
  close(): Promise<void>;
};

/** How long to wait for a mail that does not come. */
const PATIENCE_MS = 20_000;

export function codeIn(text: string): string {
  const [, code] = /(?:^|\s)code: ([0-9A-Z]{6,9})$/m.exec(text) ?? [];
  if (code === undefined) throw new Error(`no code in:\n${text}`);
  return code;
}

/** A bundle has its own line, in base58. */
export function bundleIn(text: string): string {
  const [bundle] = /^[1-9A-HJ-NP-Za-km-z]{80,200}$/m.exec(text) ?? [];
  if (bundle === undefined) throw new Error(`no bundle in:\n${text}`);
  return bundle;
}

async function parsed(raw: Buffer, envelope: { from: string; to: string }): Promise<ReceivedMail> {
  const mail = await PostalMime.parse(raw);
  return {
    to: envelope.to,
    envelopeFrom: envelope.from,
    from: { name: mail.from?.name ?? '', address: mail.from?.address ?? '' },
    replyTo: mail.replyTo?.[0]?.address,
    subject: mail.subject ?? '',
    text: (mail.text ?? '').replaceAll('\r\n', '\n'),
    html: mail.html ?? '',
    messageId: mail.messageId ?? '',
    headers: new Map(mail.headers.map(({ key, value }) => [key.toLowerCase(), value])),
    raw: raw.toString('utf8'),
  };
}

/** A real SMTP server on this machine. */
export async function startMail(options: SMTPServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const taken = new Set<ReceivedMail>();
  const waiting = new Set<() => void>();
  let respond: (to: string) => number | undefined | Promise<number | undefined> = () => undefined;
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    // Clients keep their connections open.
    closeTimeout: 20,
    async onRcptTo({ address }, _session, done) {
      const responseCode = await respond(address);
      done(responseCode === undefined ? null : Object.assign(new Error(`not for ${responseCode}`), { responseCode }));
    },
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', async () => {
        const from = session.envelope.mailFrom;
        for (const { address } of session.envelope.rcptTo)
          received.push(await parsed(Buffer.concat(parts), { from: from ? from.address : '', to: address }));
        done();
        for (const look of waiting) look();
      });
    },
    ...options,
  });
  // A client that gives up is no fault of the test.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  // Domains are sent in lower case.
  const wanted = (to: string) => received.find((mail) => mail.to.toLowerCase() === to.toLowerCase() && !taken.has(mail));

  const next: MailServer['next'] = (to) =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        waiting.delete(look);
        const had = received.map((mail) => `${mail.to}: ${mail.subject}`).join('\n');
        reject(new Error(`no mail to ${to} came. There were:\n${had}`));
      }, PATIENCE_MS);
      const look = () => {
        const mail = wanted(to);
        if (mail === undefined) return;
        taken.add(mail);
        waiting.delete(look);
        clearTimeout(late);
        resolve(mail);
      };
      waiting.add(look);
      look();
    });

  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Countersign <no-reply@service.test>' },
    port,
    received,
    next,
    nextCode: async (to) => codeIn((await next(to)).text),
    nextBundle: async (to) => bundleIn((await next(to)).text),
    answer(given) {
      respond = given ?? (() => undefined);
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A server that all tests of a file share: `sharedInstance(mail.env)` sends to it. */
export async function sharedMail(options?: SMTPServerOptions): Promise<MailServer> {
  const mail = await startMail(options);
  after(() => mail.close());
  return mail;
}
