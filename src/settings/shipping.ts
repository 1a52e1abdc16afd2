import { isAbsolute } from 'node:path';
import type { OtlpPlace } from '../outbound/record/otlp.ts';
import type { SyslogPlace } from '../outbound/record/syslog.ts';
import { isLoopbackHost } from '../outbound/smtp-url.ts';
import type { Environment } from './names.ts';
import { ConfigError, secret } from './read.ts';

/** Where the record for auditors is shipped. `text`: the setting. `isOpen`: it travels unencrypted beyond this machine. */
export type ShipSettings = { text: string; isOpen: boolean } & (
  | { kind: 'file'; path: string }
  | ({ kind: 'syslog' } & SyslogPlace)
  | ({ kind: 'otlp' } & OtlpPlace)
);

const FORMS = 'file:/path, syslog+tls://host:port, syslog+tcp://host:port, otlp+https://host or otlp+http://host';
const LOGS = '/v1/logs';
/** The standard port of syslog over TLS, and of syslog over connections. */
const SYSLOG_PORT = { tls: 6514, tcp: 601 };
const MOST_HEADERS = 32;

const wrong = (): ConfigError => new ConfigError(`AUDIT_SHIP must be ${FORMS}, without a user name, password or parameters`);

/** `name=value,name=value`, as OpenTelemetry's own settings have them: values are percent-encoded. */
function headersOf(env: Environment): Record<string, string> {
  const given = (secret(env, 'AUDIT_SHIP_HEADERS') ?? '').split(',').filter((one) => one.trim() !== '');
  const bad = new ConfigError('AUDIT_SHIP_HEADERS must be name=value,name=value, with percent-encoded values');
  if (given.length > MOST_HEADERS) throw new ConfigError(`AUDIT_SHIP_HEADERS must have at most ${MOST_HEADERS} headers`);
  return Object.fromEntries(
    given.map((one) => {
      const at = one.indexOf('=');
      const name = one.slice(0, at).trim().toLowerCase();
      if (at < 1) throw bad;
      let value: string;
      try {
        value = decodeURIComponent(one.slice(at + 1).trim());
      } catch {
        throw bad;
      }
      if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(name) || !/^[ -~]{1,8192}$/.test(value)) throw bad;
      return [name, value];
    }),
  );
}

/** Undefined: the record is not shipped. Throws ConfigError, without a header in its text. */
export function shipSettings(env: Environment): ShipSettings | undefined {
  const text = env.AUDIT_SHIP;
  if (!text) return undefined;
  if (text.startsWith('file:')) {
    const path = text.slice('file:'.length).replace(/^\/\/(?=\/)/, '');
    if (!isAbsolute(path) || path.endsWith('/')) throw wrong();
    return { kind: 'file', text, path, isOpen: false };
  }
  const [, kind, by] = /^(syslog|otlp)\+(tls|tcp|https?):\/\//.exec(text) ?? [];
  const isSyslog = kind === 'syslog';
  if (kind === undefined || isSyslog === by!.startsWith('http')) throw wrong();
  // URL writes a host in its normal form only for schemes that it knows.
  const isSafe = by === 'tls' || by === 'https';
  const url = URL.parse(text.replace(/^[a-z+]+/, isSyslog || isSafe ? 'https' : 'http'));
  if (url === null || url.username + url.password + url.search + url.hash !== '') throw wrong();
  const isOpen = !isSafe && !isLoopbackHost(url.hostname);
  if (isSyslog) {
    if (url.pathname !== '/') throw wrong();
    // The parser leaves out the port of https.
    const port = url.port === '' ? (/:443\/?$/.test(text) ? 443 : SYSLOG_PORT[by as 'tls' | 'tcp']) : Number(url.port);
    return { kind, text, isOpen, host: url.hostname.replace(/^\[|\]$/g, ''), port, tls: isSafe };
  }
  const headers = headersOf(env);
  if (isOpen && Object.keys(headers).length > 0)
    throw new ConfigError('AUDIT_SHIP must be otlp+https:// with AUDIT_SHIP_HEADERS, unless the receiver is on this machine');
  const base = url.href.replace(/\/+$/, '');
  return { kind: 'otlp', text, isOpen, url: base.endsWith(LOGS) ? base : base + LOGS, headers };
}

/** For display, without the headers. */
export const shownShipping = (ship: ShipSettings | undefined): Record<string, unknown> => ({
  AUDIT_SHIP: ship?.text ?? '(unset)',
  AUDIT_SHIP_HEADERS: ship?.kind === 'otlp' && Object.keys(ship.headers).length > 0 ? '***' : '(unset)',
});

/** A sentence for each setting that has no effect, or is dangerous. */
export function shippingWarnings(env: Environment): string[] {
  const headers = env.AUDIT_SHIP_HEADERS || env.AUDIT_SHIP_HEADERS_FILE;
  if (headers && !env.AUDIT_SHIP?.startsWith('otlp+'))
    return ['AUDIT_SHIP_HEADERS has no effect without AUDIT_SHIP=otlp+https://…'];
  if (!shipSettings(env)?.isOpen) return [];
  return [`AUDIT_SHIP=${env.AUDIT_SHIP}: the record travels unencrypted, so use TLS where the network is not trusted`];
}
