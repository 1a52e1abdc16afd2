import type { Download, Downloaded, OnBehalf } from '../../outbound/types.ts';
import { ACCEPTED, digestOf, type Layer, MANIFEST_BYTES, readManifest, refused } from './manifest.ts';
import { DIGEST, type ImageReference } from './reference.ts';

/** An image as its registry describes it. `digest`: of what its name names, which may be an index. */
export type Image = { digest: string; layers: readonly Layer[] };

const TOKEN_BYTES = 65_536;

async function bytesOf({ body }: Downloaded, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > most) throw refused(`its registry answered with more than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The address that gives tokens, from `WWW-Authenticate: Bearer realm="…",service="…"`. Undefined for other challenges. */
function tokenUrl(challenge: string | undefined, repository: string): string | undefined {
  if (challenge === undefined || challenge.length > 2048 || !/^bearer /i.test(challenge)) return undefined;
  const given = new Map([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!.toLowerCase(), value!]));
  const url = URL.parse(given.get('realm') ?? '');
  if (url === null) return undefined;
  const service = given.get('service');
  if (service !== undefined) url.searchParams.set('service', service);
  url.searchParams.set('scope', `repository:${repository}:pull`);
  return url.href;
}

/** A conversation with the registry of one image, without credentials. */
export function registryOf(download: Download, { base, repository, tag }: ImageReference, on: OnBehalf) {
  let token: string | undefined;

  async function login(challenge: string | undefined): Promise<string> {
    const url = tokenUrl(challenge, repository);
    if (url === undefined) throw refused('its registry asks for credentials');
    const text = await download(url, on, {}, async (answer) =>
      answer.status === 200 ? (await bytesOf(answer, TOKEN_BYTES)).toString() : '',
    );
    const found = /"(?:access_)?token"\s*:\s*"([\w.~+/=-]+)"/.exec(text)?.[1];
    if (found === undefined) throw refused('its registry gives no token to a stranger: only public images are supported');
    return found;
  }

  /** Asks again with a token if the registry wants one. */
  async function get<T>(path: string, accept: string, use: (answer: Downloaded) => Promise<T>): Promise<T> {
    const ask = () => {
      const headers = { accept, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
      return download(`${base}/v2/${repository}/${path}`, on, headers, async (answer) => {
        if (answer.status === 401 && token === undefined) return { challenge: answer.challenge };
        if (answer.status !== 200) throw refused(`its registry answered with status ${answer.status}`);
        return { value: await use(answer) };
      });
    };
    let answered = await ask();
    if ('challenge' in answered) {
      token = await login(answered.challenge);
      answered = await ask();
    }
    if ('challenge' in answered) throw refused('its registry asks for credentials');
    return answered.value;
  }

  async function manifest(name: string): Promise<Buffer> {
    const bytes = await get(`manifests/${name}`, ACCEPTED, (answer) => bytesOf(answer, MANIFEST_BYTES));
    if (DIGEST.test(name) && digestOf(bytes) !== name) throw refused('its registry answered with another manifest');
    return bytes;
  }

  return {
    /** Resolves the name. An index leads to the image for linux/amd64. */
    async image(): Promise<Image> {
      const top = await manifest(tag);
      const digest = digestOf(top);
      const named = readManifest(top);
      if ('layers' in named) return { digest, layers: named.layers };
      const inner = readManifest(await manifest(named.child));
      if ('child' in inner) throw refused('its index leads to another index');
      return { digest, layers: inner.layers };
    },
    /** The bytes of a layer as they are stored. The caller compares size and digest. */
    layer: <T>({ digest }: Layer, use: (body: AsyncIterable<Buffer>) => Promise<T>): Promise<T> =>
      get(`blobs/${digest}`, '*/*', ({ body }) => use(body)),
  };
}

export type Registry = ReturnType<typeof registryOf>;
