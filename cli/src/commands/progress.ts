import type { CommandContext } from './command.ts'

const INTERVAL_MS = 2000

/** Waits for long work. Every two seconds a line on stderr says how far it is. */
export async function withProgress<Value>(
  { note }: Pick<CommandContext, 'note'>,
  state: (seconds: number) => string | Promise<string>,
  work: Promise<Value>,
): Promise<Value> {
  const startMs = performance.now()
  const report = async () => note(await state(Math.round((performance.now() - startMs) / 1000)))
  // A state that cannot be read is not worth a failure.
  const timer = setInterval(() => void report().catch(() => undefined), INTERVAL_MS)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
