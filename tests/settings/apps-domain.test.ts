import assert from 'node:assert/strict';
import { it } from 'node:test';
import { getPublicSuffix } from 'tldts';
import { ConfigError } from '../../src/config.ts';
import { checkAppsDomain } from '../../src/settings/apps-domain.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';

it('a domain of apps that shares no registrable domain with the service is accepted', async () => {
  for (const [domain, baseUrl] of [
    ['example-apps.net', 'https://sign.example.net'],
    ['apps.example.net', 'https://sign.example.org:8443/base'],
    ['apps.example.co.uk', 'https://sign.other.co.uk'],
    ['apps.internal', 'http://sign.internal'],
    ['apps.test', 'http://10.0.0.1:8080'],
    ['apps.test', 'http://[::1]:8080'],
    ['xn--bcher-kva.example', 'https://bücher2.example'],
    ['a.city.kawasaki.jp', 'https://b.other.kawasaki.jp'],
  ] as const)
    assert.equal(await checkAppsDomain(domain, baseUrl), undefined, domain);
});

it('a domain of apps whose pages could ask for passkeys of the service is refused, and the error says why', async () => {
  for (const [domain, baseUrl, reason] of [
    ['example.net', 'https://example.net', /is the host of BASE_URL/],
    ['example.net', 'https://EXAMPLE.net.:8443', /is the host of BASE_URL/],
    ['example.net', 'https://sign.example.net', /is above sign\.example\.net/],
    ['net', 'https://sign.example.net', /is above/],
    ['apps.example.net', 'https://example.net', /is below example\.net/],
    ['apps.localhost', 'http://localhost:8080', /is below localhost/],
    ['apps.example.net', 'https://sign.example.net', /shares the registrable domain example\.net with sign\.example\.net/],
    ['apps.example.co.uk', 'https://sign.example.co.uk', /registrable domain example\.co\.uk/],
    ['a.corp.internal', 'https://b.corp.internal', /registrable domain corp\.internal/],
    ['a.xn--bcher-kva.example', 'https://b.bücher.example', /registrable domain xn--bcher-kva\.example/],
    ['a.city.kawasaki.jp', 'https://b.city.kawasaki.jp', /registrable domain city\.kawasaki\.jp/],
    // The private section has github.io.
    ['apps.github.io', 'https://sign.github.io', /registrable domain github\.io/],
    ['10.0.0.1', 'https://example.net', /must be a host name/],
    ['10.1', 'https://example.net', /must be a host name/],
    ['a b', 'https://example.net', /must be a host name/],
  ] as const)
    await assert.rejects(
      checkAppsDomain(domain, baseUrl),
      (error) => error instanceof ConfigError && reason.test(error.message),
      domain,
    );
});

it('localhost is accepted with a warning, whatever the service is called', async () => {
  for (const baseUrl of ['http://localhost:8080', 'https://example.net'])
    assert.match((await checkAppsDomain('localhost', baseUrl))!, /^APPS_DOMAIN=localhost: for development alone/);
});

/** The names of whose passkeys a page of this host may ask. `allowPrivateDomains`: by the whole list. */
function namesOf(host: string, allowPrivateDomains: boolean): string[] {
  const suffix = getPublicSuffix(host, { allowPrivateDomains })!;
  const labels = host.split('.');
  return labels.map((_, at) => labels.slice(at).join('.')).filter((name) => name === host || name.length > suffix.length);
}

it('a pair of hosts is accepted if and only if their pages can ask for passkeys of no common name', async () => {
  const label = fc.constantFrom('a', 'b', 'sign');
  const suffix = fc.constantFrom(
    'com',
    'co.uk',
    'uk',
    'github.io',
    's3.amazonaws.com',
    'kawasaki.jp',
    'city.kawasaki.jp',
    'ck',
    'www.ck',
    'internal',
  );
  const host = fc.tuple(fc.array(label, { maxLength: 3 }), suffix).map(([labels, end]) => [...labels, end].join('.'));
  await fc.assert(
    fc.asyncProperty(host, host, async (domain, service) => {
      const isAccepted = await checkAppsDomain(domain, `https://${service}`).then(
        () => true,
        () => false,
      );
      const common = [false, true].some((all) => {
        const ofService = namesOf(service, all);
        return namesOf(`app-x.${domain}`, all).some((name) => ofService.includes(name));
      });
      const isInside = `.${domain}`.endsWith(`.${service}`) || `.${service}`.endsWith(`.${domain}`);
      assert.equal(isAccepted, !(common || isInside), `${domain} ${service}`);
    }),
    { numRuns: rounds(500) },
  );
});
