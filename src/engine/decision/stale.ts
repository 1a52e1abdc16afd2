/** Another request was first, or a fact behind the decision changed. Nothing was written, and everything is decided again. */
export class StaleDecisionError extends Error {
  override readonly name = 'StaleDecisionError';
  /** The organization with concurrent writes. Undefined if the same request was already recorded. */
  readonly organizationId: string | undefined;

  constructor(organizationId?: string) {
    super('the data behind this decision has changed');
    this.organizationId = organizationId;
  }
}
