/** Everything that waits for no file gets on. */
export async function breath(times = 1): Promise<void> {
  for (let left = times; left > 0; left--) await new Promise((resume) => setImmediate(resume))
}
