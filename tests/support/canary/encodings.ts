/** A text that must occur nowhere, and its meaning. */
export type Secret = { name: string; text: string };

const HEX = /^(?:[0-9a-f]{2})+$/i;

/** The part of the base64 of some bytes that does not depend on the text around them, wherever they begin. */
function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const first = Math.ceil((before * 4) / 3);
    const whole = Math.floor(((before + bytes.length) * 8) / 6);
    return all.slice(first, whole);
  });
}

const urlForm = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_');

/** The bytes under which a secret might be found: as it is, and encoded; of hex also its bytes. */
export function formsOf({ text }: Secret): Buffer[] {
  const given = [Buffer.from(text), ...(HEX.test(text) ? [Buffer.from(text, 'hex')] : [])];
  const texts = given.flatMap((bytes) => {
    const base64 = inBase64(bytes);
    const hex = bytes.toString('hex');
    return [...base64, ...base64.map(urlForm), hex, hex.toUpperCase()];
  });
  const all = [...given, ...texts.map((one) => Buffer.from(one))];
  return [...new Map(all.map((bytes) => [bytes.toString('latin1'), bytes])).values()];
}

/** Where something was written: a name and its bytes. */
export type Place = { name: string; bytes: Buffer };

/** Each secret in a place, in words. */
export function findings(secrets: readonly Secret[], places: readonly Place[]): string[] {
  return secrets.flatMap((secret) => {
    const forms = formsOf(secret);
    return places
      .filter(({ bytes }) => forms.some((form) => bytes.includes(form)))
      .map(({ name }) => `${secret.name}: in ${name}`);
  });
}
