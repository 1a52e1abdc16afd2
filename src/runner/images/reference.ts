/** The name of an image: `registry/repository:tag` or `registry/repository@sha256:…`, as container tools write it. */
export type ImageReference = {
  /** Without a path. */
  base: string;
  repository: string;
  /** A tag, or `sha256:` and 64 hex digits. */
  tag: string;
};

export const DIGEST = /^sha256:[0-9a-f]{64}$/;
const REPOSITORY = /^[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
/** Container tools reach a registry on this machine without TLS. The guard asks none unless the operator allowed it. */
const LOCAL = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]):/;
const LONGEST = 512;

/** Undefined for a text of another form. */
export function parseReference(text: string): ImageReference | undefined {
  if (text.length > LONGEST) return undefined;
  const [named = '', digest, ...more] = text.split('@');
  const [first = '', ...parts] = named.split('/');
  const isHost = parts.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const host = isHost ? first : 'docker.io';
  const path = isHost ? parts.join('/') : named;
  const [repository = '', tag = 'latest', ...rest] = path.split(':');
  if (more.length + rest.length > 0 || !HOST.test(host) || !REPOSITORY.test(repository) || !TAG.test(tag)) return undefined;
  if (digest !== undefined && !DIGEST.test(digest)) return undefined;
  const isHub = host === 'docker.io';
  return {
    base: `${LOCAL.test(host) ? 'http' : 'https'}://${isHub ? 'registry-1.docker.io' : host}`,
    repository: isHub && !repository.includes('/') ? `library/${repository}` : repository,
    tag: digest ?? tag,
  };
}
