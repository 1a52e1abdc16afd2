/** The version of this program. A test holds it to package.json. */
export const VERSION = '0.2.0';
