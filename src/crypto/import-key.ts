import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { untraced } from '../base/untraced.ts';

// Node.js 24 throws and catches up to four errors to find a key's form. That is a third of an import's time.

/** `der`: SubjectPublicKeyInfo (RFC 5280 §4.1). Throws if it is malformed, or not a point of its curve. */
export const importPublicKey = (der: Buffer): KeyObject =>
  untraced(() => createPublicKey({ key: der, format: 'der', type: 'spki' }));

/** `der`: PrivateKeyInfo (RFC 5208), which the caller wipes. Throws if it is malformed. */
export const importPrivateKey = (der: Buffer): KeyObject =>
  untraced(() => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
