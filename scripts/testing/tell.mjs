/** Sends a message to the parent that runs the tests. If the parent is gone, this process ends. */
export function tell(message) {
  if (!process.connected) return;
  process.send(message, (error) => {
    if (error) process.exit(1);
  });
}
