import { SandboxRefused } from './types.ts';

/** Users that exist for apps alone, without a name: no two apps have the same at a time. */
export class Uids {
  readonly #free: Set<number>;

  constructor(first: number, count: number) {
    this.#free = new Set(Array.from({ length: count }, (_, at) => first + at));
  }

  take(): number {
    const [uid] = this.#free;
    if (uid === undefined) throw new SandboxRefused('Every user ID for apps is in use: give the runner a larger range.');
    this.#free.delete(uid);
    return uid;
  }

  give(uid: number): void {
    this.#free.add(uid);
  }
}
