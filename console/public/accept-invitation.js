// What the link carries stands behind '#', which no request has. It leaves the address bar, and so the browser's history, at once.
const link = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
history.replaceState(null, '', location.pathname + location.search);
// Another link, opened in this page, is another invitation.
addEventListener('hashchange', () => location.reload());

const byId = (id) => document.getElementById(id);
const [invited, form, name, button, status] = ['invited', 'form', 'name', 'button', 'status'].map(byId);

const bytes = (text) => new TextEncoder().encode(text);
const base64url = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

function say(text, kind = '') {
  status.textContent = text;
  status.className = kind;
}

/** Nothing more can be done on this page. */
function end(text, kind) {
  form.hidden = true;
  say(text, kind);
}

const AGAIN = 'Ask whoever invited you for a new invitation.';
const TRANSPORTS = ['ble', 'internal', 'nfc', 'usb', 'hybrid'];
const UNLOCK = { userVerification: 'required' };

/** The time of the service: the clock of a device may be wrong. */
async function serviceTime() {
  const { headers } = await fetch(location.pathname, { method: 'HEAD', cache: 'no-store' });
  return Date.parse(headers.get('date')) || Date.now();
}

/**
 * The ids of organization and user, 16 bytes each: so the passkey alone is enough to sign in to the console. Random bytes follow: a device
 * replaces a passkey of the same handle, and the ids of this link prove nothing yet.
 */
const handle = ({ organizationId, userId }) =>
  Uint8Array.from([
    ...((organizationId + userId).replaceAll('-', '').match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)),
    ...crypto.getRandomValues(new Uint8Array(16)),
  ]);

/** The invitation's secret is the challenge of the registration. */
async function makePasskey(authenticatorName) {
  const account = link.email || link.userId;
  const { rawId, response } = await navigator.credentials.create({
    publicKey: {
      rp: { name: link.organizationName || 'Countersign' },
      user: { id: handle(link), name: account, displayName: account },
      challenge: bytes(link.secret),
      pubKeyCredParams: [-7, -257].map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: { residentKey: 'required', ...UNLOCK },
      attestation: 'none',
    },
  });
  const transports = (response.getTransports?.() ?? []).filter((one) => TRANSPORTS.includes(one));
  const attestation = {
    credentialId: base64url(rawId),
    clientDataJson: base64url(response.clientDataJSON),
    attestationObject: base64url(response.attestationObject),
    transports: transports.map((one) => `AUTHENTICATOR_TRANSPORT_${one.toUpperCase()}`),
  };
  return { rawId, authenticator: { authenticatorName, challenge: link.secret, attestation } };
}

/** The request, stamped by the passkey: the challenge is the hash of the body in hex. */
async function stampedRequest({ rawId, authenticator }) {
  const { organizationId, invitationId, userId } = link;
  const type = 'ACTIVITY_TYPE_ACCEPT_INVITATION_V2';
  const timestampMs = String(await serviceTime());
  const body = JSON.stringify({ type, timestampMs, organizationId, parameters: { invitationId, userId, authenticator } });
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes(body)));
  const challenge = bytes(Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join(''));
  const allowCredentials = [{ type: 'public-key', id: rawId }];
  const { response } = await navigator.credentials.get({ publicKey: { challenge, allowCredentials, ...UNLOCK } });
  const stamp = {
    credentialId: base64url(rawId),
    authenticatorData: base64url(response.authenticatorData),
    clientDataJson: base64url(response.clientDataJSON),
    signature: base64url(response.signature),
  };
  return { method: 'POST', body, headers: { 'X-Stamp-WebAuthn': JSON.stringify(stamp) } };
}

function wordsFor(message, code) {
  if (code === 'UNAUTHENTICATED')
    return `This invitation cannot be accepted. It may have been used already, been revoked, or have expired. ${AGAIN}`;
  if (message.includes('does not allow passkeys of its origin'))
    return 'Your organization takes passkeys only from a site of its own. Ask whoever invited you where to make yours.';
  if (code === 'REQUEST_NOT_AUTHORIZED')
    return 'Your organization does not let you in from here, or not now. Ask whoever invited you.';
  return `The invitation could not be accepted: ${message}. ${AGAIN}`;
}

/** The passkey that nobody knows need not stay where the browser keeps it. */
function forget({ rawId }) {
  PublicKeyCredential.signalUnknownCredential?.({ rpId: location.hostname, credentialId: base64url(rawId) }).catch(() => {});
}

// What was done stays done when a later step fails: each click goes on from there.
let passkey;
let request;

async function accept() {
  say('Follow what your browser asks…');
  passkey ??= await makePasskey(name.value.trim());
  name.disabled = true;
  button.textContent = 'Confirm with the passkey';
  say('The passkey is made. Confirm with it once, to accept the invitation…');
  request ??= await stampedRequest(passkey);
  button.textContent = 'Try again';
  say('Accepting…');
  const answer = await fetch('public/v1/submit/accept_invitation', request);
  if (answer.status >= 500) return say('The service is busy. Try again in a moment.', 'not-ready');
  const { message = '', details = [] } = await answer.json();
  if (answer.ok) {
    end('Done: the invitation is accepted. From now on you sign in with this passkey.', 'ready');
    // Without a console there is nothing to lead to.
    byId('console').hidden = !(await fetch('console/service.json').catch(() => ({}))).ok;
    return;
  }
  forget(passkey);
  end(wordsFor(message, details[0]?.turnkeyErrorCode), 'not-ready');
}

function explain(error) {
  if (error.name === 'NotAllowedError') return say('That was cancelled, or took too long. Try again.', 'not-ready');
  if (error instanceof TypeError) return say('The service could not be reached. Try again.', 'not-ready');
  say(`Your browser or device could not do this: ${error.message.replace(/\.$/, '')}. Try again, or use another one.`, 'not-ready');
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  button.disabled = true;
  accept()
    .catch(explain)
    .finally(() => {
      button.disabled = false;
    });
});

if (!['organizationId', 'invitationId', 'userId', 'secret'].every((member) => link[member]))
  end('There is no invitation in this address. Open the whole link in the mail again.', 'not-ready');
else if (!window.PublicKeyCredential)
  end(
    'This browser cannot make passkeys here. Open the link in another browser, at an https address that you trust.',
    'not-ready',
  );
else {
  const to = link.organizationName ? ` to ${link.organizationName}` : '';
  invited.textContent = `You are invited${to}${link.email ? ` as ${link.email}` : ''}.`;
  invited.hidden = false;
  form.hidden = false;
  name.value = 'My passkey';
}
