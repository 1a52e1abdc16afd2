/** A leaf of a claim cannot be claimed. */
export class SparkLeafError extends Error {
  override readonly name = 'SparkLeafError';
  readonly index: number;
  readonly field: 'ciphertext' | 'senderSignature';

  constructor(index: number, field: SparkLeafError['field'], problem: string) {
    super(problem);
    this.index = index;
    this.field = field;
  }
}
