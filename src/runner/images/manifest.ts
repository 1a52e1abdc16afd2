import { hash } from 'node:crypto';
import { isObject, type Json, parseJson } from '../../base/json.ts';
import { OutboundError } from '../../outbound/types.ts';
import { DIGEST } from './reference.ts';

/** Manifests and indexes of images, by OCI and by Docker. */

export const MANIFEST_BYTES = 4 * 1024 * 1024;
export const LAYERS = 128;
export const COMPRESSED_BYTES = 512 * 1024 * 1024;

const INDEXES = ['application/vnd.oci.image.index.v1+json', 'application/vnd.docker.distribution.manifest.list.v2+json'];
const MANIFESTS = ['application/vnd.oci.image.manifest.v1+json', 'application/vnd.docker.distribution.manifest.v2+json'];
export const ACCEPTED = [...INDEXES, ...MANIFESTS].join(', ');

const PLAIN = ['application/vnd.oci.image.layer.v1.tar'];
const GZIPPED = ['application/vnd.oci.image.layer.v1.tar+gzip', 'application/vnd.docker.image.rootfs.diff.tar.gzip'];

export type Layer = { digest: string; size: number; gzip: boolean };

/** An image that is not acceptable. Its message is safe to show to the client that named it. */
export const refused = (message: string): OutboundError => new OutboundError(message, { mayPass: false });

type Members = { [key: string]: Json };

function read(bytes: Buffer): Members {
  const parsed = parseJson(bytes, { depth: 16, keys: 50_000 });
  if ('error' in parsed || !isObject(parsed.value)) throw refused('its manifest is not a JSON object');
  return parsed.value;
}

export const digestOf = (bytes: Buffer): string => `sha256:${hash('sha256', bytes)}`;

/** The manifest for this platform if the bytes are an index; otherwise the layers, the lowest first. */
export function readManifest(bytes: Buffer): { child: string } | { layers: Layer[] } {
  const { manifests, layers } = read(bytes);
  if (Array.isArray(manifests)) return { child: childOf(manifests) };
  if (!Array.isArray(layers)) throw refused('its manifest has no layers: images of the first schema are not supported');
  if (layers.length === 0 || layers.length > LAYERS) throw refused(`it must have 1 to ${LAYERS} layers`);
  const described = layers.map(layerOf);
  const bytesInAll = described.reduce((sum, { size }) => sum + size, 0);
  if (bytesInAll > COMPRESSED_BYTES) throw refused(`its layers have more than ${COMPRESSED_BYTES} bytes`);
  return { layers: described };
}

function childOf(manifests: readonly Json[]): string {
  const fits = ({ platform }: Members) => isObject(platform) && platform.os === 'linux' && platform.architecture === 'amd64';
  const child = manifests.find((one): one is Members => isObject(one) && fits(one as Members));
  if (child === undefined) throw refused('it has no image for linux/amd64');
  if (typeof child.digest !== 'string' || !DIGEST.test(child.digest)) throw refused('its index has a digest other than SHA-256');
  return child.digest;
}

function layerOf(layer: Json): Layer {
  const { mediaType, digest, size } = (isObject(layer) ? layer : {}) as Members;
  if (typeof digest !== 'string' || !DIGEST.test(digest)) throw refused('a layer has no SHA-256 digest');
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) throw refused('a layer has no size');
  const gzip = GZIPPED.includes(mediaType as string);
  if (!gzip && !PLAIN.includes(mediaType as string)) throw refused('a layer is neither a tar archive nor one with gzip');
  return { digest, size, gzip };
}
