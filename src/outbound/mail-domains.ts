import { Resolver } from 'node:dns/promises';

/** Answers that mean that there is no such record. */
const NONE = new Set(['ENOTFOUND', 'ENODATA']);

type Options = { timeout?: number; tries?: number; servers?: readonly string[] };

/**
 * Whether mail for a domain can be delivered, by DNS (RFC 5321 §5.1). The domain needs an MX record or, without one, an address. A
 * domain whose MX is "." takes no mail (RFC 7505). Rejects if DNS does not answer.
 */
export function mailDomains({ timeout = 2000, tries = 2, servers }: Options = {}): (domain: string) => Promise<boolean> {
  return async (domain) => {
    const resolver = new Resolver({ timeout, tries });
    if (servers !== undefined) resolver.setServers(servers);
    const has = async <T>(asked: Promise<T[]>): Promise<T[]> => {
      try {
        return await asked;
      } catch (error) {
        if (NONE.has((error as { code?: string }).code ?? '')) return [];
        throw error;
      }
    };
    const exchanges = await has(resolver.resolveMx(domain));
    if (exchanges.length > 0) return exchanges.some(({ exchange }) => exchange !== '' && exchange !== '.');
    if ((await has(resolver.resolve4(domain))).length > 0) return true;
    return (await has(resolver.resolve6(domain))).length > 0;
  };
}
