import type { Config } from '../../config.ts';
import { smtpMailer } from '../../outbound/smtp.ts';
import { type Found, ok, problem, warning } from './finding.ts';

/** Logs in at the mail server, and sends nothing. */
export async function checkMail({ messages }: Config): Promise<Found[]> {
  const { devOutbox, smtp, sms } = messages;
  const texts =
    sms === undefined ? ok('no SMS provider is set') : ok(`SMS by ${sms.provider} is not tried, since it costs money`);
  if (devOutbox) return [warning('messages are kept in memory, and not sent', 'set SMTP_URL for real users')];
  if (smtp === undefined) return [ok('no mail server is set'), texts];
  const mailer = smtpMailer(smtp);
  try {
    await mailer.check();
    return [ok(`the mail server ${smtp.host}:${smtp.port} accepts the login`), texts];
  } catch (error) {
    return [problem(`the mail server ${smtp.host}:${smtp.port}: ${(error as Error).message}`, 'correct SMTP_URL'), texts];
  } finally {
    mailer.close();
  }
}
