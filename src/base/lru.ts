/** A bounded map that drops the least recently used entry. For parsed keys and compiled texts, never for plaintext secrets. */
export class Lru<V> {
  readonly #max: number;
  readonly #weigh: (value: V) => number;
  readonly #map = new Map<string, V>();
  #weight = 0;

  /** `weigh`: the weight of a value towards `max`. It must not change for a value. Without `weigh`, each value weighs 1. */
  constructor(max: number, weigh: (value: V) => number = () => 1) {
    this.#max = max;
    this.#weigh = weigh;
  }

  get(key: string): V | undefined {
    const value = this.#map.get(key);
    if (value !== undefined && this.#weight > this.#max / 2) {
      this.#map.delete(key);
      this.#map.set(key, value);
    }
    return value;
  }

  /** Keeps the new value even if its weight alone exceeds `max`, because it is the most recently used. */
  set(key: string, value: V): void {
    this.delete(key);
    this.#map.set(key, value);
    this.#weight += this.#weigh(value);
    while (this.#weight > this.#max && this.#map.size > 1) this.delete(this.#map.keys().next().value as string);
  }

  delete(key: string): void {
    const value = this.#map.get(key);
    if (value === undefined) return;
    this.#map.delete(key);
    this.#weight -= this.#weigh(value);
  }
}
