import { isIP } from 'node:net';
import { ConfigError } from './read.ts';

const OTHER = 'give the apps a domain of their own, such as example-apps.net';

/**
 * An app's page may ask for passkeys of its host name and of names above it. None of these may be the service's too. ICANN's section of
 * the Public Suffix List alone counts. The private section separates more, but old lists lack its newest names. Throws ConfigError, or
 * returns a warning. The list is loaded for this alone.
 */
export async function checkAppsDomain(domain: string, baseUrl: string, setting = 'BASE_URL'): Promise<string | undefined> {
  const host = new URL(baseUrl).hostname.replace(/\.$/, '');
  if (domain === 'localhost')
    return 'APPS_DOMAIN=localhost: for development alone, since pages of apps may share passkeys and cookies with other pages of localhost';
  if (isIP(domain) !== 0 || URL.parse(`http://${domain}`)?.hostname !== domain)
    throw new ConfigError(`APPS_DOMAIN must be a host name, since each app has a name below it, not "${domain}"`);
  if (domain === host) throw refusal(domain, `is the host of ${setting}`);
  if (host.endsWith(`.${domain}`)) throw refusal(domain, `is above ${host}, the host of ${setting}`);
  if (domain.endsWith(`.${host}`)) throw refusal(domain, `is below ${host}, the host of ${setting}`);
  const { getDomain } = await import('tldts');
  const registrable = getDomain(domain);
  if (registrable !== null && registrable === getDomain(host))
    throw refusal(domain, `shares the registrable domain ${registrable} with ${host}, the host of ${setting}`);
  return undefined;
}

const refusal = (domain: string, why: string) =>
  new ConfigError(`APPS_DOMAIN ${domain} ${why}, so a page of an app could ask for its passkeys: ${OTHER}`);
