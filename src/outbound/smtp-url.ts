import { isIP } from 'node:net';

export type SmtpSettings = {
  host: string;
  port: number;
  /** `implicit`: from the first byte. `starttls`: before anything else is sent, or nothing is sent. `off`: in the clear. */
  tls: 'implicit' | 'starttls' | 'off';
  auth: { user: string; pass: string } | undefined;
};

export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));

/** Reads SMTP_URL. Throws an Error that names the fault, without a password. */
export function parseSmtpUrl(text: string): SmtpSettings {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') || url.hostname === '')
    throw new Error('must be a URL such as smtps://user:password@mail.example.com, with special characters percent-encoded');
  if ((url.pathname !== '' && url.pathname !== '/') || url.hash !== '')
    throw new Error('must have nothing after its host and port except ?tls=off');
  for (const name of url.searchParams.keys()) if (name !== 'tls') throw new Error(`must have no parameter ${name}`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const said = url.searchParams.get('tls');
  if (said !== null && (said !== 'off' || url.protocol === 'smtps:') && said !== 'starttls')
    throw new Error('accepts tls=off or tls=starttls with smtp://, and no tls with smtps://');
  let auth: SmtpSettings['auth'];
  try {
    const [user, pass] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    auth = user === '' && pass === '' ? undefined : { user, pass };
  } catch {
    throw new Error('has a user name or password that is not percent-encoded');
  }
  if (auth !== undefined && (auth.user === '' || auth.pass === ''))
    throw new Error(`has a ${auth.user === '' ? 'password, but no user name' : 'user name, but no password'}`);
  const secure = url.protocol === 'smtps:';
  // Within this machine no third party listens, and no certificate is for localhost.
  const tls = secure ? 'implicit' : said === 'off' || (said === null && isLoopbackHost(host)) ? 'off' : 'starttls';
  if (tls === 'off' && auth !== undefined && !isLoopbackHost(host))
    throw new Error('must not send a password unencrypted: leave out tls=off, or use smtps://');
  return { host, port: url.port === '' ? (secure ? 465 : 587) : Number(url.port), tls, auth };
}
