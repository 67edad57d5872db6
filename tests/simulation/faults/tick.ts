/** Waits for turns of the event loop. */
export async function tick(times = 1): Promise<void> {
  for (let left = times; left > 0; left--) await new Promise((resume) => setImmediate(resume))
}
