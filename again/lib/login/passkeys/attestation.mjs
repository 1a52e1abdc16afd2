// src/login/passkeys/attestation.ts
import { parentPort, Worker, workerData } from "node:worker_threads";

// src/base/errors.ts
var table = {
  INTERNAL: { grpc: 13, http: 500, text: "internal server error" },
  UNAVAILABLE: { grpc: 14, http: 503, text: "service unavailable" },
  NO_SPACE: {
    grpc: 14,
    http: 503,
    text: "the database has no disk space left, and nothing was written: send the same body again once space is free",
    wire: "UNAVAILABLE"
  },
  ORGANIZATION_NOT_FOUND: { grpc: 5, http: 404, text: "no organization found with the given ID" },
  INVALID_ORGANIZATION_ID: { grpc: 3, http: 400, text: "malformed organization ID provided" },
  ORGANIZATION_MISMATCH: { grpc: 3, http: 400, text: "organization mismatch" },
  INVALID_ACTIVITY_CALLER: { grpc: 3, http: 400, text: "this activity cannot be started in a sub-organization" },
  REQUEST_NOT_AUTHORIZED: { grpc: 7, http: 403, text: "request not authorized" },
  FORBIDDEN: { grpc: 7, http: 403, text: "authentication failed" },
  PUBLIC_KEY_NOT_FOUND: { grpc: 16, http: 401, text: "could not find public key in organization or its parent organization" },
  CREDENTIAL_NOT_FOUND: {
    grpc: 16,
    http: 401,
    text: "credential ID could not be found in organization or its parent organization"
  },
  CREDENTIAL_CONFLICT: { grpc: 16, http: 401, text: "more than one suborg associated with a public key" },
  API_KEY_EXPIRED: { grpc: 16, http: 401, text: "expired api key" },
  SIGNATURE_MISSING: { grpc: 16, http: 401, text: "no valid authentication signature found for request" },
  SIGNATURE_INVALID: { grpc: 16, http: 401, text: "could not verify api key signature" },
  UNAUTHENTICATED: { grpc: 16, http: 401, text: "authentication failed" },
  REQUEST_INVALID: { grpc: 3, http: 400, text: "bad request body" },
  BODY_TOO_LARGE: { grpc: 3, http: 413, text: "bad request body: too large", wire: "REQUEST_INVALID" },
  INVALID_OIDC_TOKEN: { grpc: 3, http: 400, text: "invalid OIDC token" },
  OAUTH_PROVIDER_ALREADY_EXISTS: {
    grpc: 3,
    http: 400,
    text: "a user of this organization already has an OAuth provider with this issuer, audience and subject"
  },
  OAUTH2_CREDENTIAL_NOT_FOUND: { grpc: 5, http: 404, text: "OAuth 2.0 credential not found" },
  OAUTH2_PROVIDER_NOT_CONFIGURED: {
    grpc: 9,
    http: 400,
    text: "the provider does not accept the client ID and secret of the OAuth 2.0 credential: update the credential"
  },
  FIAT_ON_RAMP_NOT_CONFIGURED: {
    grpc: 9,
    http: 400,
    text: "there is no usable credential for this on-ramp provider: store one with CREATE_FIAT_ON_RAMP_CREDENTIAL",
    wire: "UNSPECIFIED"
  },
  INVALID_EMAIL: { grpc: 3, http: 400, text: "invalid email address" },
  INVALID_FQDN: { grpc: 3, http: 400, text: "could not reach email" },
  EMAIL_SENDING_DISABLED: {
    grpc: 9,
    http: 400,
    text: "email sending is disabled: this service sends no mail until its operator sets SMTP_URL"
  },
  SMS_SENDING_DISABLED: {
    grpc: 9,
    http: 400,
    text: "SMS sending is disabled: this service sends no SMS until its operator sets SMS_PROVIDER",
    wire: "UNSPECIFIED"
  },
  INVALID_TRANSACTION: { grpc: 3, http: 400, text: "failed to parse transaction" },
  UNSUPPORTED_TRANSACTION_TYPE: { grpc: 3, http: 400, text: "unsupported transaction type" },
  WALLET_ACCOUNT_NOT_EXPORTED: { grpc: 3, http: 400, text: "wallet account has not been exported" },
  SPONSORSHIP_DISABLED: {
    grpc: 9,
    http: 400,
    text: "gas sponsorship is not enabled: the top-level organization enables it with UPSERT_GAS_USAGE_CONFIG",
    wire: "UNSPECIFIED"
  },
  SPONSORSHIP_UNAVAILABLE: {
    grpc: 9,
    http: 400,
    text: "gas sponsorship is not set up for this network: ask the operator of the service to set it up",
    wire: "UNSPECIFIED"
  },
  GAS_LIMIT_EXCEEDED: { grpc: 8, http: 429, text: "the gas sponsorship limit is used up", wire: "UNSPECIFIED" },
  NOT_FOUND: { grpc: 5, http: 404, text: "not found", wire: "UNSPECIFIED" },
  ACTIVITY_ARCHIVED: {
    grpc: 9,
    http: 400,
    text: "the activity of this body was archived and is no longer in the service: ask the operator for the archive, or send a new body",
    wire: "UNSPECIFIED"
  },
  ROUTE_NOT_FOUND: { grpc: 5, http: 404, text: "no such path", wire: "UNSPECIFIED" },
  METHOD_NOT_ALLOWED: { grpc: 12, http: 405, text: "this path accepts only POST", wire: "UNSPECIFIED" },
  LIMIT_EXCEEDED: { grpc: 8, http: 429, text: "limit exceeded", wire: "UNSPECIFIED" },
  MAX_OTP_INITIATED: { grpc: 8, http: 429, text: "Max number of OTPs have been initiated" },
  TVC_IMAGE_VALIDATION_FAILED: { grpc: 3, http: 400, text: "the container image cannot be used" },
  SIGNING_QUOTA_EXCEEDED: { grpc: 8, http: 429, text: "the organization has used its quota of signatures" },
  RATE_LIMIT_EXCEEDED: { grpc: 8, http: 429, text: "Too many requests. Please wait and try again in a few seconds" }
};
var OURS = "type.googleapis.com/countersign.v1.ErrorDetail";
var ApiError = class _ApiError extends Error {
  name = "ApiError";
  code;
  #extra;
  constructor(code, message = table[code].text, extra = {}) {
    super(message, extra.cause === void 0 ? void 0 : { cause: extra.cause });
    this.code = code;
    this.#extra = extra;
  }
  /** The gRPC status number in the wire's `code`. */
  get grpc() {
    return table[this.code].grpc;
  }
  get http() {
    return table[this.code].http;
  }
  get retryAfterMs() {
    return this.#extra.retryAfterMs;
  }
  /** The wire's `details`. */
  get details() {
    const { details, violations, policy, activityId } = this.#extra;
    if (details)
      return activityId === void 0 ? details : [...details.filter((detail) => detail["@type"] !== OURS), this.#ours()];
    const row = table[this.code];
    const rendered = [
      { "@type": "type.googleapis.com/errors.v1.TurnkeyErrorDetail", turnkeyErrorCode: row.wire ?? this.code }
    ];
    if (violations?.length) rendered.push({ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: violations });
    if (policy) rendered.push({ "@type": "type.googleapis.com/errors.v1.PolicyEnginePermissionError", ...policy });
    if (row.wire !== void 0 || activityId !== void 0) rendered.push(this.#ours());
    return rendered;
  }
  /** Facts that the published details cannot carry: our own code, and the activity's id. */
  #ours() {
    const { activityId } = this.#extra;
    return { "@type": OURS, code: this.code, ...activityId === void 0 ? {} : { activityId } };
  }
  /** The same error with the id of its activity. */
  about(activityId) {
    return new _ApiError(this.code, this.message, { ...this.#extra, activityId, cause: this.cause });
  }
  /** The same error with other names for the fields that it names. */
  renamed(rename) {
    const { violations, details } = this.#extra;
    const inViolations = (all) => all.map(({ field, description }) => ({ field: rename(field), description: rename(description) }));
    return new _ApiError(this.code, rename(this.message), {
      ...this.#extra,
      cause: this.cause,
      ...violations && { violations: inViolations(violations) },
      ...details && {
        details: details.map(
          (detail) => Array.isArray(detail.fieldViolations) ? { ...detail, fieldViolations: inViolations(detail.fieldViolations) } : detail
        )
      }
    });
  }
};
var Busy = class extends Error {
  name = "Busy";
};
var Uncertain = class extends Busy {
  name = "Uncertain";
};
var SealedTooLate = class extends Busy {
  name = "SealedTooLate";
};
var NoSpace = class extends Busy {
  name = "NoSpace";
};
var Damaged = class extends Busy {
  name = "Damaged";
};
var Outdated = class extends Busy {
  name = "Outdated";
};
var Unreachable = class extends Error {
  name = "Unreachable";
  remedy;
  constructor(message, remedy = "send the same body again") {
    super(message);
    this.remedy = remedy;
  }
};
typeof ApiError === "function" && Object.defineProperty(ApiError, "name", { value: "ApiError" });
typeof Busy === "function" && Object.defineProperty(Busy, "name", { value: "Busy" });
typeof Uncertain === "function" && Object.defineProperty(Uncertain, "name", { value: "Uncertain" });
typeof SealedTooLate === "function" && Object.defineProperty(SealedTooLate, "name", { value: "SealedTooLate" });
typeof NoSpace === "function" && Object.defineProperty(NoSpace, "name", { value: "NoSpace" });
typeof Damaged === "function" && Object.defineProperty(Damaged, "name", { value: "Damaged" });
typeof Outdated === "function" && Object.defineProperty(Outdated, "name", { value: "Outdated" });
typeof Unreachable === "function" && Object.defineProperty(Unreachable, "name", { value: "Unreachable" });

// src/base/fair-turns.ts
function fairTurns(mostWaiting) {
  const waiting = /* @__PURE__ */ new Map();
  let all = 0;
  let isRunning = false;
  function next() {
    const first = waiting.entries().next();
    if (first.done) {
      isRunning = false;
      return;
    }
    const [payer, turns2] = first.value;
    const turn = turns2.shift();
    all--;
    waiting.delete(payer);
    if (turns2.length > 0) waiting.set(payer, turns2);
    turn();
  }
  async function inTurn(turn, work) {
    await turn;
    try {
      return await work();
    } finally {
      next();
    }
  }
  return (payer, work) => {
    if (!isRunning) {
      isRunning = true;
      return inTurn(void 0, work);
    }
    const turns2 = waiting.get(payer) ?? [];
    if (all >= mostWaiting.all || turns2.length >= mostWaiting.payer) return void 0;
    all++;
    waiting.set(payer, turns2);
    return inTurn(new Promise((turn) => turns2.push(turn)), work);
  };
}

// src/login/passkeys/attestation.ts
var IDLE_MS = 3e4;
var LONGEST_MS = 3e4;
var HEAP_MB = 128;
var thread;
var idle;
var turns = fairTurns({ payer: 32, all: 512 });
async function verifyAttestation(registration, payer) {
  const verdict = turns(payer, () => ask(registration));
  if (verdict === void 0) throw new Unreachable("too many passkey registrations wait for verification");
  return verdict;
}
function start() {
  const worker = new Worker(new URL(new URL("attestation.mjs", import.meta.url).href), {
    workerData: { verifiesAttestations: true },
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB }
  });
  worker.on("error", () => {
  });
  worker.once("exit", () => {
    if (thread === worker) thread = void 0;
  });
  return worker;
}
async function ask(registration) {
  clearTimeout(idle);
  thread ??= start();
  const worker = thread;
  worker.ref();
  const limit = setTimeout(() => void worker.terminate(), LONGEST_MS);
  const verdict = await new Promise((resolve) => {
    const ended = () => resolve({ problem: "it cannot be verified" });
    worker.once("exit", ended);
    worker.once("message", (answer) => {
      worker.off("exit", ended);
      resolve(answer);
    });
    worker.postMessage(registration);
  });
  clearTimeout(limit);
  worker.unref();
  idle = setTimeout(() => {
    if (thread === worker) thread = void 0;
    void worker.terminate();
  }, IDLE_MS);
  idle.unref();
  return verdict;
}
var NO_NETWORK = () => Promise.reject(new Error("this thread has no network"));
var now = 0;
var GivenDate = class extends Date {
  constructor(...given) {
    super(...given.length === 0 ? [now] : given);
  }
  static now() {
    return now;
  }
};
var LABEL = { kty: 1, alg: 3, curve: -1, x: -2, y: -3, n: -1, e: -2 };
var [EC2, RSA, P256] = [2, 3, 1];
var ALGORITHMS = [-7, -257];
var MOST_CERTIFICATES = 8;
async function serve() {
  globalThis.fetch = NO_NETWORK;
  globalThis.Date = GivenDate;
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const { decodeAttestationObject, decodeCredentialPublicKey } = await import("@simplewebauthn/server/helpers");
  async function verify(given) {
    const { clientDataJson, attestationObject, challenge, origin, relyingPartyIds } = given;
    now = given.now;
    const decoded = decodeAttestationObject(Buffer.from(attestationObject, "base64url"));
    const authData = decoded.get("authData");
    if (decoded.get("fmt") === "android-safetynet") throw new Error("its format, android-safetynet, is no longer supported");
    if ((decoded.get("attStmt")?.get("x5c")?.length ?? 0) > MOST_CERTIFICATES)
      throw new Error(`it has more than ${MOST_CERTIFICATES} certificates`);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      // The credential's id is also in the authenticator's data, and is read from there.
      response: {
        id: "id",
        rawId: "id",
        type: "public-key",
        clientExtensionResults: {},
        response: { clientDataJSON: clientDataJson, attestationObject }
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      ...relyingPartyIds && { expectedRPID: relyingPartyIds },
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS
    });
    if (!verified) throw new Error("its signature is wrong");
    const { fmt, aaguid, credential } = registrationInfo;
    return {
      credentialId: Buffer.from(credential.id, "base64url"),
      format: fmt,
      aaguid: Buffer.from(aaguid.replaceAll("-", ""), "hex"),
      rpIdHash: Buffer.from(authData.subarray(0, 32)),
      key: keyOf(decodeCredentialPublicKey(credential.publicKey))
    };
  }
  parentPort.on("message", (registration) => {
    verify(registration).then(
      (attested) => parentPort.postMessage({ attested }),
      (error) => parentPort.postMessage({ problem: textOf(error) })
    );
  });
}
function keyOf(cose) {
  const bytes = (label) => {
    const value = cose.get(label);
    if (!(value instanceof Uint8Array)) throw new Error("its public key is incomplete");
    return value;
  };
  const [kty, alg] = [cose.get(LABEL.kty), cose.get(LABEL.alg)];
  if (kty === EC2 && alg === ALGORITHMS[0] && cose.get(LABEL.curve) === P256)
    return { kty: "EC2", x: bytes(LABEL.x), y: bytes(LABEL.y) };
  if (kty === RSA && alg === ALGORITHMS[1]) return { kty: "RSA", n: bytes(LABEL.n), e: bytes(LABEL.e) };
  throw new Error("its public key is neither ES256 on P-256 nor RS256");
}
var LONGEST_PROBLEM = 160;
function textOf(error) {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return line.replace(/[^\x20-\x7e]/g, "?").slice(0, LONGEST_PROBLEM);
}
if (workerData?.verifiesAttestations) await serve();
typeof GivenDate === "function" && Object.defineProperty(GivenDate, "name", { value: "GivenDate" });
export {
  verifyAttestation
};
