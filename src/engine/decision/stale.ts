/** Another request was first, or a fact behind the decision changed. Nothing was written, and everything is decided again. */
export class StaleDecisionError extends Error {
  override readonly name = 'StaleDecisionError';
  /** Where others write at the same time. Undefined if the same request was there already. */
  readonly organizationId: string | undefined;

  constructor(organizationId?: string) {
    super('decided by facts that have changed');
    this.organizationId = organizationId;
  }
}
