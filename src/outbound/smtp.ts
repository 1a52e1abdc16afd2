import type { createTransport } from 'nodemailer';
import type { SmtpSettings } from './smtp-url.ts';
import { type Letter, type Mailer, type Receipt, SendError } from './types.ts';

type Transport = ReturnType<typeof createTransport>;

const CONNECT_MS = 10_000;
const SILENT_MS = 20_000;
/** Also for a server that answers one byte at a time. */
const DEADLINE_MS = 40_000;

/** The first line of an answer, without characters that move a terminal's cursor. */
const lineOf = (text: string): string =>
  text
    .split(/\r?\n/)[0]!
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .slice(0, 300);

function refusalOf(error: unknown): SendError {
  const {
    responseCode = 0,
    response,
    code = '',
    message,
  } = error as { responseCode?: number; response?: string; code?: string; message: string };
  const said = lineOf(response ?? message);
  // A fault of our own account, or of the connection, is not the message's fault: the operator fixes it.
  const ofMessage = ['EENVELOPE', 'EMESSAGE'].includes(code) && responseCode !== 503 && responseCode !== 530;
  return new SendError(`${code} ${said}`.trim(), {
    permanent: ofMessage && responseCode >= 500,
    said: ofMessage && response !== undefined ? said : undefined,
  });
}

/** `nodemailer` is loaded for the first mail. `check` connects and logs in, and sends nothing. */
export function smtpMailer({ host, port, tls, auth }: SmtpSettings): Mailer & { check(): Promise<void> } {
  let transport: Promise<Transport> | undefined;
  let closed = false;

  async function open(): Promise<Transport> {
    const { createTransport } = await import('nodemailer');
    const options = {
      pool: true as const,
      host,
      port,
      secure: tls === 'implicit',
      requireTLS: tls === 'starttls',
      ignoreTLS: tls === 'off',
      ...(auth === undefined ? {} : { auth }),
      tls: { minVersion: 'TLSv1.2' as const },
      maxConnections: 8,
      maxRequeues: 0,
      idleTimeout: 30_000,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      dnsTimeout: CONNECT_MS,
      socketTimeout: SILENT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    };
    return createTransport(options) as unknown as Transport;
  }

  return {
    async send({ messageId, from, to, replyTo, subject, text, html }: Letter): Promise<Receipt> {
      if (closed) throw new SendError('the service is stopping', { permanent: false });
      transport ??= open();
      const sender = await transport;
      try {
        const sent = await sender.sendMail({
          messageId,
          from,
          to: { name: '', address: to },
          envelope: { from: from.address, to: [to] },
          ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
          subject,
          text,
          html,
          headers: { 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' },
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: AbortSignal.timeout(DEADLINE_MS),
        } as Parameters<Transport['sendMail']>[0]);
        return { response: lineOf(String((sent as { response?: string }).response ?? '')) };
      } catch (error) {
        throw refusalOf(error);
      }
    },
    async check() {
      transport ??= open();
      try {
        await (await transport).verify();
      } catch (error) {
        throw refusalOf(error);
      }
    },
    close() {
      closed = true;
      void transport?.then(
        (open) => (open as unknown as { close(options: { force: boolean }): void }).close({ force: true }),
        () => {},
      );
    },
  };
}
