const line = document.getElementById('ready');
fetch('/ready')
  .then((response) => response.json())
  .then(({ status, reason, warnings = [] }) => {
    const warned = warnings.map(({ message }) => ` Warning: ${message}.`).join('');
    line.textContent = status === 'ready' ? `It is ready.${warned}` : `It is not ready: ${reason}.`;
    line.className = status === 'ready' ? 'ready' : 'not-ready';
  })
  .catch(() => {
    line.textContent = 'The service did not answer: reload this page.';
    line.className = 'not-ready';
  });
