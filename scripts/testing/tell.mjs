/** Sends a message to the process that runs the tests, if it is still there; if it has gone, this process ends. */
export function tell(message) {
  if (!process.connected) return;
  process.send(message, (error) => {
    if (error) process.exit(1);
  });
}
