/** A regular expression for the text of a UUID of any version, in lower case. */
export const UUID_TEXT = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
