import type { AbiParameter } from 'viem';

const WORD = 32;

type Tuple = AbiParameter & { components: readonly AbiParameter[] };
/** One array level of a type: what its elements are, and how many of them if that is fixed. */
type Level = { element: AbiParameter; count: number | undefined };

function levelOf(parameter: AbiParameter): Level | undefined {
  const match = /^(.*)\[(\d*)\]$/.exec(parameter.type);
  if (!match) return undefined;
  return { element: { ...parameter, type: match[1]! }, count: match[2] === '' ? undefined : Number(match[2]) };
}

const membersOf = (parameter: AbiParameter) => (parameter as Tuple).components;

/** Bytes of a static type in place; undefined for a dynamic one. */
function staticSize(parameter: AbiParameter): number | undefined {
  const { type } = parameter;
  const level = levelOf(parameter);
  if (level) {
    const size = staticSize(level.element);
    return level.count === undefined || size === undefined ? undefined : level.count * size;
  }
  if (type === 'bytes' || type === 'string') return undefined;
  if (type !== 'tuple') return WORD;
  let sum = 0;
  for (const member of membersOf(parameter)) {
    const size = staticSize(member);
    if (size === undefined) return undefined;
    sum += size;
  }
  return sum;
}

class Walk {
  readonly #data: Buffer;
  /** Bytes that are not yet accounted for. */
  #left: number;

  constructor(data: Buffer) {
    this.#data = data;
    this.#left = data.length;
  }

  #spend(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }

  /** A number that can be a length or a place in the data. */
  #word(at: number): number | undefined {
    if (at + WORD > this.#data.length) return undefined;
    for (let i = at; i < at + WORD - 4; i++) if (this.#data[i] !== 0) return undefined;
    return this.#data.readUInt32BE(at + WORD - 4);
  }

  /** Values one after the other, with their dynamic parts at places counted from `base`. */
  fits(parameters: Iterable<AbiParameter>, base: number): boolean {
    let at = base;
    for (const parameter of parameters) {
      const size = staticSize(parameter) ?? WORD;
      if (!this.#spend(size)) return false;
      if (staticSize(parameter) === undefined) {
        const place = this.#word(at);
        if (place === undefined || !this.#bodyFits(parameter, base + place)) return false;
      }
      at += size;
    }
    return true;
  }

  #bodyFits(parameter: AbiParameter, at: number): boolean {
    const level = levelOf(parameter);
    if (!level && parameter.type === 'tuple') return this.fits(membersOf(parameter), at);
    if (level?.count !== undefined) return this.fits(repeated(level.element, level.count), at);
    const length = this.#word(at);
    if (length === undefined || !this.#spend(WORD)) return false;
    if (level) return this.fits(repeated(level.element, length), at + WORD);
    return this.#spend(Math.ceil(length / WORD) * WORD);
  }
}

function* repeated(element: AbiParameter, count: number): Generator<AbiParameter> {
  for (let i = 0; i < count; i++) yield element;
}

/**
 * Whether arguments can be what a compiler wrote (Contract ABI Specification, "Formal Specification of the Encoding"): every part in
 * bytes of its own. Places may otherwise name the same bytes over and over, and decoding them takes the square of their length.
 */
export function argumentsFit(parameters: readonly AbiParameter[], data: Buffer): boolean {
  return new Walk(data).fits(parameters, 0);
}
