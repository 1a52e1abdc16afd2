import type { Organization } from '../../model/organization.ts';
import type { Holder, Reader, RequestLookup } from '../../store/types.ts';
import { bytesOfText, type CachedRow, cachedRow } from './cached-row.ts';
import { KnownBodies } from './known-bodies.ts';

const MEBI = 1_048_576;

/**
 * Bytes of all kept facts: about 25,000 signers with their keys, wallets and accounts. A look-up saves at most a millisecond.
 */
export const CACHE_BYTES = 32 * MEBI;

/** The share of it that one organization may use, so that it cannot push out all others. */
const SHARE = 1 / 4;

/** Bytes of a map's entry and of its row here, besides key and value. */
const ENTRY = 128;

/** The reads by id whose results are kept. Every write that changes one of them raises the version (`store/version-raising.ts`). */
export const CACHED_READS = {
  signers: ['find'],
  wallets: ['get', 'account'],
  privateKeys: ['get'],
  tags: ['ofMember'],
  mfaPolicies: ['listByUser'],
} as const satisfies { [R in keyof Reader]?: readonly (keyof Reader[R])[] };

type ById = (organizationId: string, id: string) => Promise<unknown>;

/** All kept facts of one organization, as of one version of its facts. */
type Cached = { organization: Organization; rows: Map<string, CachedRow>; bytes: number; read: Reader | undefined };

/** A look-up that was answered from memory. `read` reads from memory if it can. */
export type Recalled = Pick<RequestLookup, 'organization' | 'holder'> & { read: Reader };

const holderKey = (publicKey: string): string => `holder ${publicKey}`;

/**
 * Facts that signatures look up repeatedly, with the version of their organization at which they were read. They may be
 * outdated, but are never acted upon then. The record of a signature names the version, and is written only while that version
 * is current. Keys are kept sealed, as their rows are. Absent rows are not kept.
 */
export class KnownFacts {
  readonly #most: number;
  /** The least recently used organization is first. */
  readonly #organizations = new Map<string, Cached>();
  readonly #bodies = new KnownBodies();
  #bytes = 0;
  #forgotten = 0;

  constructor(most = CACHE_BYTES) {
    this.#most = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Rises whenever something is forgotten. Facts that were read before are not kept after. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** The organization and the holder of a key in it, if both were found before. */
  recall(read: Reader, organizationId: string, publicKey: string): Recalled | undefined {
    const kept = this.#organizations.get(organizationId);
    const row = kept?.rows.get(holderKey(publicKey));
    if (kept === undefined || row === undefined) return undefined;
    this.#organizations.delete(organizationId);
    this.#organizations.set(organizationId, kept);
    kept.read ??= this.#reading(kept, read);
    return { organization: kept.organization, holder: row.value as Holder, read: kept.read };
  }

  /**
   * Keeps an authenticated caller. `since`: `forgotten` before the look-up. The organization was read first, or with the
   * holder. So rows may be newer than the version that they are kept at, never older.
   */
  keep(since: number, organization: Organization, holder: Holder): void {
    if (since !== this.#forgotten) return;
    let kept = this.#organizations.get(organization.id);
    if (kept !== undefined && kept.organization.version > organization.version) return;
    if (kept === undefined || kept.organization.version < organization.version) {
      this.#drop(organization.id);
      const { value, bytes } = cachedRow(organization);
      if (bytes > this.#most * SHARE) return;
      kept = { organization: value, rows: new Map(), bytes, read: undefined };
      this.#organizations.set(organization.id, kept);
      this.#bytes += bytes;
    }
    this.#add(kept, holderKey(holder.credential.publicKey), holder);
  }

  /** Drops the facts of an older version than the one just read. */
  saw({ id, version }: Organization): void {
    const kept = this.#organizations.get(id);
    if (kept !== undefined && kept.organization.version < version) this.#drop(id);
  }

  /** Drops everything of an organization. */
  forget(organizationId: string): void {
    this.#forgotten++;
    this.#drop(organizationId);
  }

  /** Drops everything. */
  forgetAll(): void {
    for (const organizationId of [...this.#organizations.keys()]) this.#drop(organizationId);
    this.#forgotten++;
  }

  /** Remembers for some time that the database now has this body. */
  remember(fingerprint: string): void {
    this.#bodies.add(fingerprint);
  }

  remembers(fingerprint: string): boolean {
    return this.#bodies.has(fingerprint);
  }

  #drop(organizationId: string): void {
    const kept = this.#organizations.get(organizationId);
    if (kept === undefined) return;
    this.#organizations.delete(organizationId);
    this.#bytes -= kept.bytes;
  }

  #add(kept: Cached, key: string, value: unknown): void {
    const { id } = kept.organization;
    if (this.#organizations.get(id) !== kept || kept.rows.has(key)) return;
    const row = cachedRow(value);
    row.bytes += ENTRY + bytesOfText(key);
    this.#resize(kept, row.bytes);
    kept.rows.set(key, row);
    for (const [oldest, { bytes }] of kept.rows) {
      if (kept.bytes <= this.#most * SHARE) break;
      kept.rows.delete(oldest);
      this.#resize(kept, -bytes);
    }
    for (const other of this.#organizations.keys()) {
      if (this.#bytes <= this.#most) break;
      this.#drop(other);
    }
  }

  #resize(kept: Cached, bytes: number): void {
    kept.bytes += bytes;
    this.#bytes += bytes;
  }

  /** Reads as `read` does, and keeps the rows found, at the version of `kept`, which was read before. */
  #reading(kept: Cached, read: Reader): Reader {
    const reading: Record<string, Record<string, ById>> = { ...read } as never;
    for (const [repository, methods] of Object.entries(CACHED_READS)) {
      const own = { ...reading[repository] };
      for (const method of methods) own[method] = this.#remembering(kept, `${repository}.${method}`, own[method]!);
      reading[repository] = own;
    }
    return reading as never;
  }

  #remembering(kept: Cached, name: string, ask: ById): ById {
    return async (organizationId, id) => {
      if (organizationId !== kept.organization.id) return ask(organizationId, id);
      const key = `${name} ${id}`;
      const row = kept.rows.get(key);
      if (row !== undefined) return row.value;
      const found = await ask(organizationId, id);
      if (found !== undefined) this.#add(kept, key, found);
      return found;
    };
  }
}
