const line = document.getElementById('ready');
fetch('/ready')
  .then((response) => response.json())
  .then(({ status, reason, warnings = [] }) => {
    const warned = warnings.map(({ message }) => ` Warning: ${message}.`).join('');
    line.textContent = status === 'ready' ? `It is ready.${warned}` : `It is not ready: ${reason}.`;
    line.className = status === 'ready' ? 'ready' : 'not-ready';
  })
  .catch(() => {
    line.textContent = 'Its readiness could not be asked for.';
    line.className = 'not-ready';
  });
