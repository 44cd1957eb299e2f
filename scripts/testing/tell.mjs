/** Sends a message from a worker to the process that started it. The worker exits if sending fails. */
export function tell(message) {
  if (!process.connected) return;
  process.send(message, (error) => {
    if (error) process.exit(1);
  });
}
