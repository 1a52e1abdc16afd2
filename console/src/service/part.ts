/** Parts of the page that are loaded when they are needed. */

/** After an upgrade the service has the parts of the newer page alone. Nothing is wrong with what was to be read. */
export class OldPage extends Error {
  constructor() {
    super('this page is old, or offline: reload it');
    this.name = 'OldPage';
  }
}

/** Throws OldPage. */
export async function loaded<T>(part: Promise<T>): Promise<T> {
  try {
    return await part;
  } catch {
    throw new OldPage();
  }
}
